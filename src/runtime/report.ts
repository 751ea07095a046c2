/** Errors that nobody waits for: they are written where a developer sees them. */
export function report(what: string, error: unknown): void {
  // oxlint-disable-next-line eslint/no-console -- there is nobody else to tell
  console.error(`troupe: ${what}`, error)
}
