/** Every flag of `podmend demo`. */
export const DEMO_FLAGS = {
  set: { kind: "string", fallback: "", help: "The value that the annotation gets; empty: a random one." },
  json: { kind: "boolean", fallback: false, help: "Print one JSON object a line: one for the start, one for each step, one for the end." },
  keep: { kind: "boolean", fallback: false, help: "Go on after the story until Ctrl-C, and print the path of a kubeconfig." },
  port: {
    kind: "integer",
    fallback: 0,
    min: 0,
    max: 65_535,
    help: "Where on loopback the model of the API server listens; 0: any free port.",
  },
  "relist-seconds": {
    kind: "integer",
    fallback: 1,
    min: 1,
    max: 10,
    help: "How often the model of the kubelet looks at the runtime; the real one does it every second.",
  },
  "without-agent": { kind: "boolean", fallback: false, help: "Start no agent, to see which step needs it: that step fails." },
} as const;
