/** One way to do a job. */
export interface Contestant {
  readonly name: string
  /** Makes ready for one round, and gives what does the job once and fulfils with the answer. */
  prepare(): () => Promise<string>
}
