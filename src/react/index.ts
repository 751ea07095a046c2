/** Runs in components of React. */
export { useRun } from './use-run.ts'
export type { RunOfComponent, RunState } from './use-run.ts'
export type { ConnectionState } from './shared/shared-run.ts'
export type { ServedRun, ShownRun } from './source/local-run.ts'
export { RequestError } from './source/failures.ts'
export type { UseRunOptions } from './source/run-source.ts'
