/** The event by which a machine is told to end. Whoever gets it still owes its outcome, and reports it. */
export interface CancelEvent {
  readonly type: 'cancel'
  /** `bail`: another agent's answer ends the run; tools in flight may finish. */
  readonly cause: 'cancel' | 'timeout' | 'bail'
  readonly reason?: string
}
