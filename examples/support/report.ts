/** What several examples print alike. */
import type { RunResult } from 'troupe'

/** A label and what it says; further lines stand under the first. */
export function row(label: string, text: string, width = 20): void {
  console.log(`  ${label.padEnd(width)}  ${text.replaceAll('\n', `\n  ${' '.repeat(width)}  `)}`)
}

/** A run that failed is an example that failed. */
export function reportFailure(result: RunResult): void {
  if (result.outcome !== 'failed') return
  console.error(`${result.error.message} (${result.error.code})`)
  process.exitCode = 1
}
