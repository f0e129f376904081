/** Feature gates whose state decides something in our code (docs/feature-gates.md lists all names that the flag accepts). */
export interface FeatureGates {
  /** @throws {TypeError} for a name that does not exist */
  isEnabled(name: string): boolean;
}
