/** Errors for the user's functions: in a template string they print as their message. They are JSON as before. */
import type { ErrorData } from '../../errors.ts'
import type { StepRecord } from '../../machines/contract/records.ts'
import type { HookError } from './options.ts'

export function printable(error: ErrorData): HookError {
  const copy = { ...error, ...(error.cause === undefined ? {} : { cause: printable(error.cause) }) }
  return Object.freeze(Object.defineProperty(copy, 'toString', { value: () => error.message }))
}

interface Failed {
  readonly error?: ErrorData
}

/** Copies only the items that have an error. */
export function withPrintable<Item extends Failed>(items: readonly Item[]): readonly Item[] {
  return items.some(({ error }) => error !== undefined)
    ? items.map((item) => (item.error === undefined ? item : { ...item, error: printable(item.error) }))
    : items
}

export function printableStep(step: StepRecord): StepRecord {
  const toolResults = withPrintable(step.toolResults)
  return toolResults === step.toolResults ? step : { ...step, toolResults }
}
