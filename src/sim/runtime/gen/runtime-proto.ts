// Generated from runtime.proto by npm run gen; do not edit.

export const RUNTIME_DESCRIPTOR: object = {"nested":{"runtime":{"nested":{"v1":{"nested":{"RuntimeService":{"methods":{"Version":{"requestType":"VersionRequest","responseType":"VersionResponse"},"ListContainers":{"requestType":"ListContainersRequest","responseType":"ListContainersResponse"},"ContainerStatus":{"requestType":"ContainerStatusRequest","responseType":"ContainerStatusResponse"},"StopContainer":{"requestType":"StopContainerRequest","responseType":"StopContainerResponse"},"ExecSync":{"requestType":"ExecSyncRequest","responseType":"ExecSyncResponse"},"GetContainerEvents":{"requestType":"GetEventsRequest","responseType":"ContainerEventResponse","responseStream":true}}},"ImageService":{"methods":{"ListImages":{"requestType":"ListImagesRequest","responseType":"ListImagesResponse"},"ImageStatus":{"requestType":"ImageStatusRequest","responseType":"ImageStatusResponse"},"PullImage":{"requestType":"PullImageRequest","responseType":"PullImageResponse"}}},"VersionRequest":{"fields":{"version":{"type":"string","id":1}}},"VersionResponse":{"fields":{"version":{"type":"string","id":1},"runtimeName":{"type":"string","id":2},"runtimeVersion":{"type":"string","id":3},"runtimeApiVersion":{"type":"string","id":4}}},"ContainerMetadata":{"fields":{"name":{"type":"string","id":1},"attempt":{"type":"uint32","id":2}}},"ContainerState":{"values":{"CONTAINER_CREATED":0,"CONTAINER_RUNNING":1,"CONTAINER_EXITED":2,"CONTAINER_UNKNOWN":3}},"ContainerFilter":{"fields":{"id":{"type":"string","id":1},"labelSelector":{"keyType":"string","type":"string","id":4}}},"ListContainersRequest":{"fields":{"filter":{"type":"ContainerFilter","id":1}}},"Container":{"fields":{"id":{"type":"string","id":1},"podSandboxId":{"type":"string","id":2},"metadata":{"type":"ContainerMetadata","id":3},"imageRef":{"type":"string","id":5},"state":{"type":"ContainerState","id":6},"createdAt":{"type":"int64","id":7},"labels":{"keyType":"string","type":"string","id":8},"annotations":{"keyType":"string","type":"string","id":9}}},"ListContainersResponse":{"fields":{"containers":{"rule":"repeated","type":"Container","id":1}}},"ContainerStatusRequest":{"fields":{"containerId":{"type":"string","id":1},"verbose":{"type":"bool","id":2}}},"ContainerStatus":{"fields":{"id":{"type":"string","id":1},"metadata":{"type":"ContainerMetadata","id":2},"state":{"type":"ContainerState","id":3},"createdAt":{"type":"int64","id":4},"startedAt":{"type":"int64","id":5},"finishedAt":{"type":"int64","id":6},"exitCode":{"type":"int32","id":7},"imageRef":{"type":"string","id":9},"reason":{"type":"string","id":10},"labels":{"keyType":"string","type":"string","id":12},"annotations":{"keyType":"string","type":"string","id":13}}},"ContainerStatusResponse":{"fields":{"status":{"type":"ContainerStatus","id":1},"info":{"keyType":"string","type":"string","id":2}}},"StopContainerRequest":{"fields":{"containerId":{"type":"string","id":1},"timeout":{"type":"int64","id":2}}},"StopContainerResponse":{"fields":{}},"ExecSyncRequest":{"fields":{"containerId":{"type":"string","id":1},"cmd":{"rule":"repeated","type":"string","id":2},"timeout":{"type":"int64","id":3}}},"ExecSyncResponse":{"fields":{"stdout":{"type":"bytes","id":1},"stderr":{"type":"bytes","id":2},"exitCode":{"type":"int32","id":3}}},"GetEventsRequest":{"fields":{}},"ContainerEventType":{"values":{"CONTAINER_CREATED_EVENT":0,"CONTAINER_STARTED_EVENT":1,"CONTAINER_STOPPED_EVENT":2,"CONTAINER_DELETED_EVENT":3}},"ContainerEventResponse":{"fields":{"containerId":{"type":"string","id":1},"containerEventType":{"type":"ContainerEventType","id":2},"createdAt":{"type":"int64","id":3}}},"ImageSpec":{"fields":{"image":{"type":"string","id":1}}},"ListImagesRequest":{"fields":{}},"Image":{"fields":{"id":{"type":"string","id":1},"repoTags":{"rule":"repeated","type":"string","id":2},"repoDigests":{"rule":"repeated","type":"string","id":3},"size":{"type":"uint64","id":4}}},"ListImagesResponse":{"fields":{"images":{"rule":"repeated","type":"Image","id":1}}},"ImageStatusRequest":{"fields":{"image":{"type":"ImageSpec","id":1}}},"ImageStatusResponse":{"fields":{"image":{"type":"Image","id":1}}},"AuthConfig":{"fields":{"username":{"type":"string","id":1},"password":{"type":"string","id":2},"serverAddress":{"type":"string","id":4},"identityToken":{"type":"string","id":5},"registryToken":{"type":"string","id":6}}},"PodSandboxConfig":{"fields":{"labels":{"keyType":"string","type":"string","id":6},"annotations":{"keyType":"string","type":"string","id":7}}},"PullImageRequest":{"fields":{"image":{"type":"ImageSpec","id":1},"auth":{"type":"AuthConfig","id":2},"sandboxConfig":{"type":"PodSandboxConfig","id":3}}},"PullImageResponse":{"fields":{"imageRef":{"type":"string","id":1}}}}}}}}};

export interface VersionRequest {
  readonly version?: string;
}

export interface VersionRequestOutput {
  readonly version: string;
}

export interface VersionResponse {
  readonly version?: string;
  readonly runtimeName?: string;
  readonly runtimeVersion?: string;
  readonly runtimeApiVersion?: string;
}

export interface VersionResponseOutput {
  readonly version: string;
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly runtimeApiVersion: string;
}

export interface ContainerMetadata {
  readonly name?: string;
  readonly attempt?: number;
}

export interface ContainerMetadataOutput {
  readonly name: string;
  readonly attempt: number;
}

/** A number where the runtime knows a word that we do not. */
export type ContainerState = "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED" | "CONTAINER_UNKNOWN" | number;

export interface ContainerFilter {
  readonly id?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

export interface ContainerFilterOutput {
  readonly id: string;
  readonly labelSelector: Readonly<Record<string, string>>;
}

export interface ListContainersRequest {
  readonly filter?: ContainerFilter;
}

export interface ListContainersRequestOutput {
  readonly filter: ContainerFilterOutput | null;
}

export interface Container {
  readonly id?: string;
  readonly podSandboxId?: string;
  readonly metadata?: ContainerMetadata;
  readonly imageRef?: string;
  readonly state?: ContainerState;
  readonly createdAt?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ContainerOutput {
  readonly id: string;
  readonly podSandboxId: string;
  readonly metadata: ContainerMetadataOutput | null;
  readonly imageRef: string;
  readonly state: ContainerState;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ListContainersResponse {
  readonly containers?: readonly Container[];
}

export interface ListContainersResponseOutput {
  readonly containers: readonly ContainerOutput[];
}

export interface ContainerStatusRequest {
  readonly containerId?: string;
  readonly verbose?: boolean;
}

export interface ContainerStatusRequestOutput {
  readonly containerId: string;
  readonly verbose: boolean;
}

export interface ContainerStatus {
  readonly id?: string;
  readonly metadata?: ContainerMetadata;
  readonly state?: ContainerState;
  readonly createdAt?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly exitCode?: number;
  readonly imageRef?: string;
  readonly reason?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ContainerStatusOutput {
  readonly id: string;
  readonly metadata: ContainerMetadataOutput | null;
  readonly state: ContainerState;
  readonly createdAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly imageRef: string;
  readonly reason: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ContainerStatusResponse {
  readonly status?: ContainerStatus;
  readonly info?: Readonly<Record<string, string>>;
}

export interface ContainerStatusResponseOutput {
  readonly status: ContainerStatusOutput | null;
  readonly info: Readonly<Record<string, string>>;
}

export interface StopContainerRequest {
  readonly containerId?: string;
  readonly timeout?: string;
}

export interface StopContainerRequestOutput {
  readonly containerId: string;
  readonly timeout: string;
}

export type StopContainerResponse = Readonly<Record<string, never>>;

export type StopContainerResponseOutput = Readonly<Record<string, never>>;

export interface ExecSyncRequest {
  readonly containerId?: string;
  readonly cmd?: readonly string[];
  readonly timeout?: string;
}

export interface ExecSyncRequestOutput {
  readonly containerId: string;
  readonly cmd: readonly string[];
  readonly timeout: string;
}

export interface ExecSyncResponse {
  readonly stdout?: Uint8Array;
  readonly stderr?: Uint8Array;
  readonly exitCode?: number;
}

export interface ExecSyncResponseOutput {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}

export type GetEventsRequest = Readonly<Record<string, never>>;

export type GetEventsRequestOutput = Readonly<Record<string, never>>;

/** A number where the runtime knows a word that we do not. */
export type ContainerEventType = "CONTAINER_CREATED_EVENT" | "CONTAINER_STARTED_EVENT" | "CONTAINER_STOPPED_EVENT" | "CONTAINER_DELETED_EVENT" | number;

export interface ContainerEventResponse {
  readonly containerId?: string;
  readonly containerEventType?: ContainerEventType;
  readonly createdAt?: string;
}

export interface ContainerEventResponseOutput {
  readonly containerId: string;
  readonly containerEventType: ContainerEventType;
  readonly createdAt: string;
}

export interface ImageSpec {
  readonly image?: string;
}

export interface ImageSpecOutput {
  readonly image: string;
}

export type ListImagesRequest = Readonly<Record<string, never>>;

export type ListImagesRequestOutput = Readonly<Record<string, never>>;

export interface Image {
  readonly id?: string;
  readonly repoTags?: readonly string[];
  readonly repoDigests?: readonly string[];
  readonly size?: string;
}

export interface ImageOutput {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: string;
}

export interface ListImagesResponse {
  readonly images?: readonly Image[];
}

export interface ListImagesResponseOutput {
  readonly images: readonly ImageOutput[];
}

export interface ImageStatusRequest {
  readonly image?: ImageSpec;
}

export interface ImageStatusRequestOutput {
  readonly image: ImageSpecOutput | null;
}

export interface ImageStatusResponse {
  readonly image?: Image;
}

export interface ImageStatusResponseOutput {
  readonly image: ImageOutput | null;
}

export interface AuthConfig {
  readonly username?: string;
  readonly password?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}

export interface AuthConfigOutput {
  readonly username: string;
  readonly password: string;
  readonly serverAddress: string;
  readonly identityToken: string;
  readonly registryToken: string;
}

export interface PodSandboxConfig {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface PodSandboxConfigOutput {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface PullImageRequest {
  readonly image?: ImageSpec;
  readonly auth?: AuthConfig;
  readonly sandboxConfig?: PodSandboxConfig;
}

export interface PullImageRequestOutput {
  readonly image: ImageSpecOutput | null;
  readonly auth: AuthConfigOutput | null;
  readonly sandboxConfig: PodSandboxConfigOutput | null;
}

export interface PullImageResponse {
  readonly imageRef?: string;
}

export interface PullImageResponseOutput {
  readonly imageRef: string;
}

export interface RuntimeUnaryMethods {
  readonly Version: { request: VersionRequest; response: VersionResponseOutput; received: VersionRequestOutput; answer: VersionResponse };
  readonly ListContainers: { request: ListContainersRequest; response: ListContainersResponseOutput; received: ListContainersRequestOutput; answer: ListContainersResponse };
  readonly ContainerStatus: { request: ContainerStatusRequest; response: ContainerStatusResponseOutput; received: ContainerStatusRequestOutput; answer: ContainerStatusResponse };
  readonly StopContainer: { request: StopContainerRequest; response: StopContainerResponseOutput; received: StopContainerRequestOutput; answer: StopContainerResponse };
  readonly ExecSync: { request: ExecSyncRequest; response: ExecSyncResponseOutput; received: ExecSyncRequestOutput; answer: ExecSyncResponse };
  readonly ListImages: { request: ListImagesRequest; response: ListImagesResponseOutput; received: ListImagesRequestOutput; answer: ListImagesResponse };
  readonly ImageStatus: { request: ImageStatusRequest; response: ImageStatusResponseOutput; received: ImageStatusRequestOutput; answer: ImageStatusResponse };
  readonly PullImage: { request: PullImageRequest; response: PullImageResponseOutput; received: PullImageRequestOutput; answer: PullImageResponse };
}

export interface RuntimeStreamMethods {
  readonly GetContainerEvents: { request: GetEventsRequest; response: ContainerEventResponseOutput; received: GetEventsRequestOutput; answer: ContainerEventResponse };
}
