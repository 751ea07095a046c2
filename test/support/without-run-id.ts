/** A result with one name for its run: ids of threads and calls are derived from that of the run. */
export function withoutRunId<Result extends { readonly runId: string }>(result: Result): Result {
  return JSON.parse(JSON.stringify(result).replaceAll(result.runId, 'run')) as Result
}
