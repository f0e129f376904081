/** Bounds of one NodePodRestart, equal to those of its CRD's schema: what exceeds them would make the API server refuse the whole object. */
export const MAX_PODS = 512;
export const MAX_REQUESTS_PER_POD = 16;
export const MAX_ENV_NAMES = 128;
export const MAX_ENV_NAME_LENGTH = 512;
export const MAX_MESSAGE_LENGTH = 1024;
