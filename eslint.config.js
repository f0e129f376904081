import js from "@eslint/js";
import tseslint from "typescript-eslint";
import { importRules } from "./eslint.imports.js";

/** Only main and lib may touch the process's clock, randomness and environment; everything else takes a port. */
const PORTS_ONLY = [
  { object: "process", property: "env", message: "read the environment in main.ts and pass it in" },
  { object: "Date", property: "now", message: "take a Clock" },
  { object: "Math", property: "random", message: "take a Random" },
];
const TIMER_GLOBALS = ["setTimeout", "setInterval", "setImmediate"].map((name) => ({ name, message: "take a Clock" }));

export default tseslint.config(
  { ignores: ["dist/**", "node_modules/**", "**/gen/**", "test/golden/**"] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "@typescript-eslint/prefer-promise-reject-errors": "off",
      "@typescript-eslint/only-throw-error": "off",
      complexity: ["error", 10],
      "max-depth": ["error", 3],
      "max-params": ["error", 3],
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 60, skipComments: true }],
      "no-console": "error",
    },
  },
  {
    files: ["src/**/*.ts"],
    ignores: ["src/main.ts", "src/lib/**"],
    rules: { "no-restricted-properties": ["error", ...PORTS_ONLY], "no-restricted-globals": ["error", ...TIMER_GLOBALS] },
  },
  {
    files: ["src/core/**/*.ts"],
    rules: { "no-restricted-globals": ["error", "process", "Promise", "performance", ...TIMER_GLOBALS.map((g) => g.name)] },
  },
  ...importRules(),
  {
    files: ["test/**/*.ts", "bench/**/*.ts", "scripts/**/*.ts"],
    rules: {
      "no-console": "off",
      complexity: ["error", 15],
      "max-params": "off",
      "max-lines": ["error", 600],
      "max-lines-per-function": "off",
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
    },
  },
  { files: ["**/*.js"], extends: [tseslint.configs.disableTypeChecked] },
);
