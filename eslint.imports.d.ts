import type { Linter } from "eslint";

export declare const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>>;
export declare const PACKAGE_OWNERS: Readonly<Record<string, readonly string[]>>;
export declare function importRules(): Linter.Config[];
