// Generated from sandboxes.proto by npm run gen; do not edit.

export const SANDBOXES_DESCRIPTOR: object = {"nested":{"runtime":{"nested":{"v1":{"nested":{"RuntimeService":{"methods":{"RunPodSandbox":{"requestType":"RunPodSandboxRequest","responseType":"RunPodSandboxResponse"},"StopPodSandbox":{"requestType":"StopPodSandboxRequest","responseType":"StopPodSandboxResponse"},"RemovePodSandbox":{"requestType":"RemovePodSandboxRequest","responseType":"RemovePodSandboxResponse"},"ListPodSandbox":{"requestType":"ListPodSandboxRequest","responseType":"ListPodSandboxResponse"},"CreateContainer":{"requestType":"CreateContainerRequest","responseType":"CreateContainerResponse"},"StartContainer":{"requestType":"StartContainerRequest","responseType":"StartContainerResponse"},"RemoveContainer":{"requestType":"RemoveContainerRequest","responseType":"RemoveContainerResponse"}}},"ImageService":{"methods":{"RemoveImage":{"requestType":"RemoveImageRequest","responseType":"RemoveImageResponse"}}},"PodSandboxMetadata":{"fields":{"name":{"type":"string","id":1},"uid":{"type":"string","id":2},"namespace":{"type":"string","id":3},"attempt":{"type":"uint32","id":4}}},"NamespaceMode":{"values":{"POD":0,"CONTAINER":1,"NODE":2,"TARGET":3}},"NamespaceOption":{"fields":{"network":{"type":"NamespaceMode","id":1},"pid":{"type":"NamespaceMode","id":2},"ipc":{"type":"NamespaceMode","id":3}}},"LinuxSandboxSecurityContext":{"fields":{"namespaceOptions":{"type":"NamespaceOption","id":1}}},"LinuxPodSandboxConfig":{"fields":{"securityContext":{"type":"LinuxSandboxSecurityContext","id":2}}},"PodSandboxConfig":{"fields":{"metadata":{"type":"PodSandboxMetadata","id":1},"hostname":{"type":"string","id":2},"logDirectory":{"type":"string","id":3},"labels":{"keyType":"string","type":"string","id":6},"annotations":{"keyType":"string","type":"string","id":7},"linux":{"type":"LinuxPodSandboxConfig","id":8}}},"RunPodSandboxRequest":{"fields":{"config":{"type":"PodSandboxConfig","id":1}}},"RunPodSandboxResponse":{"fields":{"podSandboxId":{"type":"string","id":1}}},"StopPodSandboxRequest":{"fields":{"podSandboxId":{"type":"string","id":1}}},"StopPodSandboxResponse":{"fields":{}},"RemovePodSandboxRequest":{"fields":{"podSandboxId":{"type":"string","id":1}}},"RemovePodSandboxResponse":{"fields":{}},"ListPodSandboxRequest":{"fields":{}},"PodSandboxState":{"values":{"SANDBOX_READY":0,"SANDBOX_NOTREADY":1}},"PodSandbox":{"fields":{"id":{"type":"string","id":1},"metadata":{"type":"PodSandboxMetadata","id":2},"state":{"type":"PodSandboxState","id":3},"createdAt":{"type":"int64","id":4},"labels":{"keyType":"string","type":"string","id":5},"annotations":{"keyType":"string","type":"string","id":6}}},"ListPodSandboxResponse":{"fields":{"items":{"rule":"repeated","type":"PodSandbox","id":1}}},"ContainerMetadata":{"fields":{"name":{"type":"string","id":1},"attempt":{"type":"uint32","id":2}}},"ImageSpec":{"fields":{"image":{"type":"string","id":1}}},"KeyValue":{"fields":{"key":{"type":"string","id":1},"value":{"type":"string","id":2}}},"ContainerConfig":{"fields":{"metadata":{"type":"ContainerMetadata","id":1},"image":{"type":"ImageSpec","id":2},"command":{"rule":"repeated","type":"string","id":3},"args":{"rule":"repeated","type":"string","id":4},"envs":{"rule":"repeated","type":"KeyValue","id":6},"labels":{"keyType":"string","type":"string","id":9},"annotations":{"keyType":"string","type":"string","id":10},"logPath":{"type":"string","id":11}}},"CreateContainerRequest":{"fields":{"podSandboxId":{"type":"string","id":1},"config":{"type":"ContainerConfig","id":2},"sandboxConfig":{"type":"PodSandboxConfig","id":3}}},"CreateContainerResponse":{"fields":{"containerId":{"type":"string","id":1}}},"StartContainerRequest":{"fields":{"containerId":{"type":"string","id":1}}},"StartContainerResponse":{"fields":{}},"RemoveContainerRequest":{"fields":{"containerId":{"type":"string","id":1}}},"RemoveContainerResponse":{"fields":{}},"RemoveImageRequest":{"fields":{"image":{"type":"ImageSpec","id":1}}},"RemoveImageResponse":{"fields":{}}}}}}}};

export interface PodSandboxMetadata {
  readonly name?: string;
  readonly uid?: string;
  readonly namespace?: string;
  readonly attempt?: number;
}

export interface PodSandboxMetadataOutput {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
  readonly attempt: number;
}

/** A number where the runtime knows a word that we do not. */
export type NamespaceMode = "POD" | "CONTAINER" | "NODE" | "TARGET" | number;

export interface NamespaceOption {
  readonly network?: NamespaceMode;
  readonly pid?: NamespaceMode;
  readonly ipc?: NamespaceMode;
}

export interface NamespaceOptionOutput {
  readonly network: NamespaceMode;
  readonly pid: NamespaceMode;
  readonly ipc: NamespaceMode;
}

export interface LinuxSandboxSecurityContext {
  readonly namespaceOptions?: NamespaceOption;
}

export interface LinuxSandboxSecurityContextOutput {
  readonly namespaceOptions: NamespaceOptionOutput | null;
}

export interface LinuxPodSandboxConfig {
  readonly securityContext?: LinuxSandboxSecurityContext;
}

export interface LinuxPodSandboxConfigOutput {
  readonly securityContext: LinuxSandboxSecurityContextOutput | null;
}

export interface PodSandboxConfig {
  readonly metadata?: PodSandboxMetadata;
  readonly hostname?: string;
  readonly logDirectory?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly linux?: LinuxPodSandboxConfig;
}

export interface PodSandboxConfigOutput {
  readonly metadata: PodSandboxMetadataOutput | null;
  readonly hostname: string;
  readonly logDirectory: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly linux: LinuxPodSandboxConfigOutput | null;
}

export interface RunPodSandboxRequest {
  readonly config?: PodSandboxConfig;
}

export interface RunPodSandboxRequestOutput {
  readonly config: PodSandboxConfigOutput | null;
}

export interface RunPodSandboxResponse {
  readonly podSandboxId?: string;
}

export interface RunPodSandboxResponseOutput {
  readonly podSandboxId: string;
}

export interface StopPodSandboxRequest {
  readonly podSandboxId?: string;
}

export interface StopPodSandboxRequestOutput {
  readonly podSandboxId: string;
}

export type StopPodSandboxResponse = Readonly<Record<string, never>>;

export type StopPodSandboxResponseOutput = Readonly<Record<string, never>>;

export interface RemovePodSandboxRequest {
  readonly podSandboxId?: string;
}

export interface RemovePodSandboxRequestOutput {
  readonly podSandboxId: string;
}

export type RemovePodSandboxResponse = Readonly<Record<string, never>>;

export type RemovePodSandboxResponseOutput = Readonly<Record<string, never>>;

export type ListPodSandboxRequest = Readonly<Record<string, never>>;

export type ListPodSandboxRequestOutput = Readonly<Record<string, never>>;

/** A number where the runtime knows a word that we do not. */
export type PodSandboxState = "SANDBOX_READY" | "SANDBOX_NOTREADY" | number;

export interface PodSandbox {
  readonly id?: string;
  readonly metadata?: PodSandboxMetadata;
  readonly state?: PodSandboxState;
  readonly createdAt?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface PodSandboxOutput {
  readonly id: string;
  readonly metadata: PodSandboxMetadataOutput | null;
  readonly state: PodSandboxState;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ListPodSandboxResponse {
  readonly items?: readonly PodSandbox[];
}

export interface ListPodSandboxResponseOutput {
  readonly items: readonly PodSandboxOutput[];
}

export interface ContainerMetadata {
  readonly name?: string;
  readonly attempt?: number;
}

export interface ContainerMetadataOutput {
  readonly name: string;
  readonly attempt: number;
}

export interface ImageSpec {
  readonly image?: string;
}

export interface ImageSpecOutput {
  readonly image: string;
}

export interface KeyValue {
  readonly key?: string;
  readonly value?: string;
}

export interface KeyValueOutput {
  readonly key: string;
  readonly value: string;
}

export interface ContainerConfig {
  readonly metadata?: ContainerMetadata;
  readonly image?: ImageSpec;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly envs?: readonly KeyValue[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly logPath?: string;
}

export interface ContainerConfigOutput {
  readonly metadata: ContainerMetadataOutput | null;
  readonly image: ImageSpecOutput | null;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly envs: readonly KeyValueOutput[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly logPath: string;
}

export interface CreateContainerRequest {
  readonly podSandboxId?: string;
  readonly config?: ContainerConfig;
  readonly sandboxConfig?: PodSandboxConfig;
}

export interface CreateContainerRequestOutput {
  readonly podSandboxId: string;
  readonly config: ContainerConfigOutput | null;
  readonly sandboxConfig: PodSandboxConfigOutput | null;
}

export interface CreateContainerResponse {
  readonly containerId?: string;
}

export interface CreateContainerResponseOutput {
  readonly containerId: string;
}

export interface StartContainerRequest {
  readonly containerId?: string;
}

export interface StartContainerRequestOutput {
  readonly containerId: string;
}

export type StartContainerResponse = Readonly<Record<string, never>>;

export type StartContainerResponseOutput = Readonly<Record<string, never>>;

export interface RemoveContainerRequest {
  readonly containerId?: string;
}

export interface RemoveContainerRequestOutput {
  readonly containerId: string;
}

export type RemoveContainerResponse = Readonly<Record<string, never>>;

export type RemoveContainerResponseOutput = Readonly<Record<string, never>>;

export interface RemoveImageRequest {
  readonly image?: ImageSpec;
}

export interface RemoveImageRequestOutput {
  readonly image: ImageSpecOutput | null;
}

export type RemoveImageResponse = Readonly<Record<string, never>>;

export type RemoveImageResponseOutput = Readonly<Record<string, never>>;

export interface SandboxesUnaryMethods {
  readonly RunPodSandbox: { request: RunPodSandboxRequest; response: RunPodSandboxResponseOutput; received: RunPodSandboxRequestOutput; answer: RunPodSandboxResponse };
  readonly StopPodSandbox: { request: StopPodSandboxRequest; response: StopPodSandboxResponseOutput; received: StopPodSandboxRequestOutput; answer: StopPodSandboxResponse };
  readonly RemovePodSandbox: { request: RemovePodSandboxRequest; response: RemovePodSandboxResponseOutput; received: RemovePodSandboxRequestOutput; answer: RemovePodSandboxResponse };
  readonly ListPodSandbox: { request: ListPodSandboxRequest; response: ListPodSandboxResponseOutput; received: ListPodSandboxRequestOutput; answer: ListPodSandboxResponse };
  readonly CreateContainer: { request: CreateContainerRequest; response: CreateContainerResponseOutput; received: CreateContainerRequestOutput; answer: CreateContainerResponse };
  readonly StartContainer: { request: StartContainerRequest; response: StartContainerResponseOutput; received: StartContainerRequestOutput; answer: StartContainerResponse };
  readonly RemoveContainer: { request: RemoveContainerRequest; response: RemoveContainerResponseOutput; received: RemoveContainerRequestOutput; answer: RemoveContainerResponse };
  readonly RemoveImage: { request: RemoveImageRequest; response: RemoveImageResponseOutput; received: RemoveImageRequestOutput; answer: RemoveImageResponse };
}

export type SandboxesStreamMethods = Readonly<Record<string, never>>;
