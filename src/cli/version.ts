// Put in by the bundler (scripts/build.ts); absent when the sources run as they are.
declare const PODMEND_VERSION: string | undefined;

/** The build's version, such as `0.1.0`. */
export const VERSION: string = typeof PODMEND_VERSION === "undefined" ? "0.0.0-dev" : PODMEND_VERSION;
