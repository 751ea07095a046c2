/** `judging`: after a round, are there enough proposals, and does another round of criticism follow? */
import { debateSetup } from './setup.ts'

interface Targets {
  /** Too few agents hold a proposal. */
  readonly noQuorum: string
  /** Another round of criticism follows. */
  readonly again: string
  /** There is no step left in which the model could write the answer. */
  readonly capped: string
  readonly agreed: string
}

const noQuorum = {
  outcome: 'failed',
  error: {
    name: 'NoQuorumError',
    code: 'NO_QUORUM',
    message: 'Too few of the agents had something to say.',
  },
} as const

export function judging(to: Targets) {
  return debateSetup.createStateConfig({
    description: 'Are there enough proposals, and is there another round of criticism?',
    always: [
      { guard: 'lacksQuorum', target: `#${to.noQuorum}`, actions: { type: 'end', params: noQuorum } },
      { guard: 'mayCriticise', target: `#${to.again}` },
      {
        guard: 'isAtCap',
        target: `#${to.capped}`,
        actions: { type: 'end', params: { outcome: 'exhausted', reason: 'maxSteps' } },
      },
      { target: `#${to.agreed}` },
    ],
  })
}
