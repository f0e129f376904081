/** What a Go program does with one field when it writes the struct that holds it. */
export interface FieldShape {
  /**
   * `filled`: left out when empty. `pointer`: left out only when absent or null. The others are always written: when absent as an
   * object of their shape, as empty text, as 0 or as null.
   */
  readonly presence: "filled" | "pointer" | "object" | "text" | "zero" | "null";
  /** The shape of the value, or of each element when the value is a list. */
  readonly shape?: string;
}

export type ObjectShape = ReadonlyMap<string, FieldShape>;

/**
 * The structs of a pod template. `a` is left out when empty, `a?` is a pointer, `a!…` is always written; `:Name` is a shape. Strings,
 * Quantity, Quantities and Amounts (rounded up to a thousandth) are not structs; ephemeral containers, which no template may have, are leaves.
 * Source: the field names, types and tags of k8s.io/api@v0.35.4 core/v1 and of ObjectMeta.
 */
const SHAPES = `
AWSElasticBlockStoreVolumeSource = volumeID!text fsType partition readOnly
Affinity = nodeAffinity?:NodeAffinity podAffinity?:PodAffinity podAntiAffinity?:PodAntiAffinity
AppArmorProfile = type!text localhostProfile?
AzureDiskVolumeSource = diskName!text diskURI!text cachingMode? fsType? readOnly? kind?
AzureFileVolumeSource = secretName!text shareName!text readOnly
CSIVolumeSource = driver!text readOnly? fsType? volumeAttributes:Strings nodePublishSecretRef?:LocalObjectReference
Capabilities = add drop
CephFSVolumeSource = monitors!null path user secretFile secretRef?:LocalObjectReference readOnly
CinderVolumeSource = volumeID!text fsType readOnly secretRef?:LocalObjectReference
ClusterTrustBundleProjection = name? signerName? labelSelector?:LabelSelector optional? path!text
ConfigMapEnvSource = name optional?
ConfigMapKeySelector = name key!text optional?
ConfigMapProjection = name items:KeyToPath optional?
ConfigMapVolumeSource = name items:KeyToPath defaultMode? optional?
Container = name!text image command args workingDir ports:ContainerPort envFrom:EnvFromSource env:EnvVar
    resources!:ResourceRequirements resizePolicy:ContainerResizePolicy restartPolicy? restartPolicyRules:ContainerRestartRule
    volumeMounts:VolumeMount volumeDevices:VolumeDevice livenessProbe?:Probe readinessProbe?:Probe startupProbe?:Probe
    lifecycle?:Lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext?:SecurityContext stdin
    stdinOnce tty
ContainerPort = name hostPort containerPort!zero protocol hostIP
ContainerResizePolicy = resourceName!text restartPolicy!text
ContainerRestartRule = action exitCodes?:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes = operator values
DownwardAPIProjection = items:DownwardAPIVolumeFile
DownwardAPIVolumeFile = path!text fieldRef?:ObjectFieldSelector resourceFieldRef?:ResourceFieldSelector mode?
DownwardAPIVolumeSource = items:DownwardAPIVolumeFile defaultMode?
EmptyDirVolumeSource = medium sizeLimit?:Quantity
EnvFromSource = prefix configMapRef?:ConfigMapEnvSource secretRef?:SecretEnvSource
EnvVar = name!text value valueFrom?:EnvVarSource
EnvVarSource = fieldRef?:ObjectFieldSelector resourceFieldRef?:ResourceFieldSelector configMapKeyRef?:ConfigMapKeySelector
    secretKeyRef?:SecretKeySelector fileKeyRef?:FileKeySelector
EphemeralVolumeSource = volumeClaimTemplate?:PersistentVolumeClaimTemplate
ExecAction = command
FCVolumeSource = targetWWNs lun? fsType readOnly wwids
FileKeySelector = volumeName!text path!text key!text optional?
FlexVolumeSource = driver!text fsType secretRef?:LocalObjectReference readOnly options:Strings
FlockerVolumeSource = datasetName datasetUUID
GCEPersistentDiskVolumeSource = pdName!text fsType partition readOnly
GRPCAction = port!zero service!null
GitRepoVolumeSource = repository!text revision directory
GlusterfsVolumeSource = endpoints!text path!text readOnly
HTTPGetAction = path port!zero host scheme httpHeaders:HTTPHeader
HTTPHeader = name!text value!text
HostAlias = ip!text hostnames
HostPathVolumeSource = path!text type?
ISCSIVolumeSource = targetPortal!text iqn!text lun!zero iscsiInterface fsType readOnly portals chapAuthDiscovery chapAuthSession
    secretRef?:LocalObjectReference initiatorName?
ImageVolumeSource = reference pullPolicy
KeyToPath = key!text path!text mode?
LabelSelector = matchLabels:Strings matchExpressions:LabelSelectorRequirement
LabelSelectorRequirement = key!text operator!text values
Lifecycle = postStart?:LifecycleHandler preStop?:LifecycleHandler stopSignal?
LifecycleHandler = exec?:ExecAction httpGet?:HTTPGetAction tcpSocket?:TCPSocketAction sleep?:SleepAction
LocalObjectReference = name
NFSVolumeSource = server!text path!text readOnly
NodeAffinity = requiredDuringSchedulingIgnoredDuringExecution?:NodeSelector
    preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm
NodeSelector = nodeSelectorTerms!null:NodeSelectorTerm
NodeSelectorRequirement = key!text operator!text values
NodeSelectorTerm = matchExpressions:NodeSelectorRequirement matchFields:NodeSelectorRequirement
ObjectFieldSelector = apiVersion fieldPath!text
ObjectMeta = name generateName namespace selfLink uid resourceVersion generation creationTimestamp!null deletionTimestamp?
    deletionGracePeriodSeconds? labels:Strings annotations:Strings ownerReferences:OwnerReference finalizers managedFields
OwnerReference = apiVersion!text kind!text name!text uid!text controller? blockOwnerDeletion?
PersistentVolumeClaimSpec = accessModes selector?:LabelSelector resources!:VolumeResourceRequirements volumeName storageClassName?
    volumeMode? dataSource?:TypedLocalObjectReference dataSourceRef?:TypedObjectReference volumeAttributesClassName?
PersistentVolumeClaimTemplate = metadata!:ObjectMeta spec!:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource = claimName!text readOnly
PhotonPersistentDiskVolumeSource = pdID!text fsType
PodAffinity = requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm
    preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm
PodAffinityTerm = labelSelector?:LabelSelector namespaces topologyKey!text namespaceSelector?:LabelSelector matchLabelKeys
    mismatchLabelKeys
PodAntiAffinity = requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm
    preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm
PodCertificateProjection = signerName keyType maxExpirationSeconds? credentialBundlePath keyPath certificateChainPath
    userAnnotations:Strings
PodDNSConfig = nameservers searches options:PodDNSConfigOption
PodDNSConfigOption = name value?
PodOS = name!text
PodResources = limits:Quantities requests:Quantities claims:ResourceClaim
PodReadinessGate = conditionType!text
PodResourceClaim = name!text resourceClaimName? resourceClaimTemplateName?
PodSchedulingGate = name!text
PodSecurityContext = seLinuxOptions?:SELinuxOptions windowsOptions?:WindowsSecurityContextOptions runAsUser? runAsGroup? runAsNonRoot?
    supplementalGroups supplementalGroupsPolicy? fsGroup? sysctls:Sysctl fsGroupChangePolicy? seccompProfile?:SeccompProfile
    appArmorProfile?:AppArmorProfile seLinuxChangePolicy?
PodSpec = volumes:Volume initContainers:Container containers!null:Container ephemeralContainers restartPolicy
    terminationGracePeriodSeconds? activeDeadlineSeconds? dnsPolicy nodeSelector:Strings serviceAccountName serviceAccount
    automountServiceAccountToken? nodeName hostNetwork hostPID hostIPC shareProcessNamespace? securityContext?:PodSecurityContext
    imagePullSecrets:LocalObjectReference hostname subdomain affinity?:Affinity schedulerName tolerations:Toleration
    hostAliases:HostAlias priorityClassName priority? dnsConfig?:PodDNSConfig readinessGates:PodReadinessGate runtimeClassName?
    enableServiceLinks? preemptionPolicy? overhead:Amounts topologySpreadConstraints:TopologySpreadConstraint setHostnameAsFQDN?
    os?:PodOS hostUsers? schedulingGates:PodSchedulingGate resourceClaims:PodResourceClaim resources?:PodResources
    hostnameOverride? workloadRef?:WorkloadReference
PodTemplateSpec = metadata!:ObjectMeta spec!:PodSpec
PortworxVolumeSource = volumeID!text fsType readOnly
PreferredSchedulingTerm = weight!zero preference!:NodeSelectorTerm
Probe = exec?:ExecAction httpGet?:HTTPGetAction tcpSocket?:TCPSocketAction grpc?:GRPCAction initialDelaySeconds timeoutSeconds
    periodSeconds successThreshold failureThreshold terminationGracePeriodSeconds?
ProjectedVolumeSource = sources!null:VolumeProjection defaultMode?
QuobyteVolumeSource = registry!text volume!text readOnly user group tenant
RBDVolumeSource = monitors!null image!text fsType pool user keyring secretRef?:LocalObjectReference readOnly
ResourceClaim = name!text request
ResourceFieldSelector = containerName resource!text divisor!:Quantity
ResourceRequirements = limits:Amounts requests:Amounts claims:ResourceClaim
SELinuxOptions = user role type level
ScaleIOVolumeSource = gateway!text system!text secretRef!null:LocalObjectReference sslEnabled protectionDomain storagePool storageMode
    volumeName fsType readOnly
SeccompProfile = type!text localhostProfile?
SecretEnvSource = name optional?
SecretKeySelector = name key!text optional?
SecretProjection = name items:KeyToPath optional?
SecretVolumeSource = secretName items:KeyToPath defaultMode? optional?
SecurityContext = capabilities?:Capabilities privileged? seLinuxOptions?:SELinuxOptions windowsOptions?:WindowsSecurityContextOptions
    runAsUser? runAsGroup? runAsNonRoot? readOnlyRootFilesystem? allowPrivilegeEscalation? procMount? seccompProfile?:SeccompProfile
    appArmorProfile?:AppArmorProfile
ServiceAccountTokenProjection = audience expirationSeconds? path!text
SleepAction = seconds!zero
StorageOSVolumeSource = volumeName volumeNamespace fsType readOnly secretRef?:LocalObjectReference
Sysctl = name!text value!text
TCPSocketAction = port!zero host
Toleration = key operator value effect tolerationSeconds?
TopologySpreadConstraint = maxSkew!zero topologyKey!text whenUnsatisfiable!text labelSelector?:LabelSelector minDomains?
    nodeAffinityPolicy? nodeTaintsPolicy? matchLabelKeys
TypedLocalObjectReference = apiGroup!null kind!text name!text
TypedObjectReference = apiGroup!null kind!text name!text namespace?
Volume = name!text hostPath?:HostPathVolumeSource emptyDir?:EmptyDirVolumeSource gcePersistentDisk?:GCEPersistentDiskVolumeSource
    awsElasticBlockStore?:AWSElasticBlockStoreVolumeSource gitRepo?:GitRepoVolumeSource secret?:SecretVolumeSource
    nfs?:NFSVolumeSource iscsi?:ISCSIVolumeSource glusterfs?:GlusterfsVolumeSource
    persistentVolumeClaim?:PersistentVolumeClaimVolumeSource rbd?:RBDVolumeSource flexVolume?:FlexVolumeSource
    cinder?:CinderVolumeSource cephfs?:CephFSVolumeSource flocker?:FlockerVolumeSource downwardAPI?:DownwardAPIVolumeSource
    fc?:FCVolumeSource azureFile?:AzureFileVolumeSource configMap?:ConfigMapVolumeSource vsphereVolume?:VsphereVirtualDiskVolumeSource
    quobyte?:QuobyteVolumeSource azureDisk?:AzureDiskVolumeSource photonPersistentDisk?:PhotonPersistentDiskVolumeSource
    projected?:ProjectedVolumeSource portworxVolume?:PortworxVolumeSource scaleIO?:ScaleIOVolumeSource
    storageos?:StorageOSVolumeSource csi?:CSIVolumeSource ephemeral?:EphemeralVolumeSource image?:ImageVolumeSource
VolumeDevice = name!text devicePath!text
VolumeMount = name!text readOnly recursiveReadOnly? mountPath!text subPath mountPropagation? subPathExpr
VolumeProjection = secret?:SecretProjection downwardAPI?:DownwardAPIProjection configMap?:ConfigMapProjection
    serviceAccountToken?:ServiceAccountTokenProjection clusterTrustBundle?:ClusterTrustBundleProjection
    podCertificate?:PodCertificateProjection
VolumeResourceRequirements = limits:Quantities requests:Quantities
VsphereVirtualDiskVolumeSource = volumePath!text fsType storagePolicyName storagePolicyID
WeightedPodAffinityTerm = weight!zero podAffinityTerm!:PodAffinityTerm
WindowsSecurityContextOptions = gmsaCredentialSpecName? gmsaCredentialSpec? runAsUserName? hostProcess?
WorkloadReference = name!text podGroup!text podGroupReplicaKey
`;

const TOKEN = /^([^?!:]+)([?!]?)([a-z]*)(?::(\w+))?$/;

/** Every struct by its name; `PodTemplateSpec` is the root. */
export const TEMPLATE_SHAPES: ReadonlyMap<string, ObjectShape> = parseShapes(SHAPES);

function parseShapes(text: string): ReadonlyMap<string, ObjectShape> {
  const statements = text.trim().split(/\n(?! )/);
  return new Map(
    statements.map((statement) => {
      const [name = "", , ...tokens] = statement.split(/\s+/);
      return [name, new Map(tokens.map(parseField))];
    }),
  );
}

function parseField(token: string): readonly [string, FieldShape] {
  const [, name = "", mark, empty, shape] = TOKEN.exec(token) ?? [];
  const presence = presenceOf(mark ?? "", empty ?? "");
  return [name, shape === undefined ? { presence } : { presence, shape }];
}

function presenceOf(mark: string, empty: string): FieldShape["presence"] {
  if (mark === "?") return "pointer";
  if (mark !== "!") return "filled";
  return empty === "" ? "object" : (empty as "text" | "zero" | "null");
}
