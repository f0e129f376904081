/**
 * Who may import whom (docs/architecture.md). A folder may always import itself; `main.ts` counts as its own room.
 */
export const ALLOWED_IMPORTS = {
  lib: [],
  api: [],
  core: ["api"],
  observe: ["lib"],
  kube: ["api", "lib"],
  cri: ["lib"],
  agent: ["core", "api", "kube", "cri", "lib"],
  controller: ["core", "api", "kube", "lib"],
  sim: ["api", "lib"],
  cli: ["agent", "api", "controller", "core", "cri", "kube", "lib", "observe", "sim"],
};

/** Third-party packages that exactly one room each may import. */
export const PACKAGE_OWNERS = {
  "@grpc/grpc-js": ["cri", "sim"],
  "@grpc/proto-loader": ["cri", "sim"],
  "@kubernetes/client-node": ["kube"],
  "@marcbachmann/cel-js": ["sim"],
  winston: ["observe"],
  "prom-client": ["observe"],
};

/** Rooms that may talk to the machine through Node's own modules. */
const NODE_BUILTIN_ROOMS = ["lib", "kube", "cri", "observe", "sim", "cli"];

const APPLY = "server-side apply takes fields from their owners: send a merge patch of our own fields";
const NO_APPLY = [
  { selector: "Literal[value=/apply-patch/]", message: APPLY },
  { selector: "TemplateElement[value.raw=/apply-patch/]", message: APPLY },
];

/** The eslint configuration objects that enforce the two tables, one per room. */
export function importRules() {
  return Object.keys(ALLOWED_IMPORTS).map((room) => ({
    files: [`src/${room}/**/*.ts`],
    rules: {
      "no-restricted-imports": ["error", { patterns: forbiddenPatterns(room) }],
      "no-restricted-syntax": ["error", ...forbiddenDynamicImports(room), ...(room === "sim" ? [] : NO_APPLY)],
    },
  }));
}

function forbiddenPatterns(room) {
  const patterns = [
    {
      regex: `^(\\.\\./)+(${forbiddenRooms(room).join("|")})/`,
      message: `src/${room} may import only: ${[room, ...ALLOWED_IMPORTS[room]].join(", ")}`,
    },
    { regex: "^(\\.\\./)+main\\.js$", message: "nothing imports main.ts" },
  ];
  for (const [name, owners] of Object.entries(PACKAGE_OWNERS)) {
    if (!owners.includes(room)) patterns.push({ regex: `^${name}(/|$)`, message: `${name} is imported only in: ${owners.join(", ")}` });
  }
  if (!NODE_BUILTIN_ROOMS.includes(room)) patterns.push({ regex: "^node:", message: `src/${room} reaches the machine through ports` });
  if (room === "agent")
    patterns.push({ regex: "/cri/(?!runtime\\.js$)", message: "the agent knows the runtime only as the port cri/runtime.ts" });
  return patterns;
}

function forbiddenDynamicImports(room) {
  const rooms = forbiddenRooms(room).join("|");
  return [
    {
      selector: `ImportExpression[source.value=/^(\\.\\.\\/)+(${rooms})\\//]`,
      message: `src/${room} may import only: ${[room, ...ALLOWED_IMPORTS[room]].join(", ")}`,
    },
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "take a Clock" },
    { selector: "ImportExpression:not([source.type='Literal'])", message: "a dynamic import names its module literally" },
  ];
}

function forbiddenRooms(room) {
  return Object.keys(ALLOWED_IMPORTS).filter((other) => other !== room && !ALLOWED_IMPORTS[room].includes(other));
}
