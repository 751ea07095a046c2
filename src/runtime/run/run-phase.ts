/** The phase of a run in this process. */
import type { TroupeError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { PassivatedRun } from './passivated-run.ts'

export type RunPhase =
  /** Its engine is in memory: the run goes on, or waits for signals. */
  | { readonly name: 'live'; readonly work: Engine }
  /** Only its open signals and its events are in memory. */
  | { readonly name: 'passivated'; readonly work: PassivatedRun }
  /** It is on its way back into memory. */
  | { readonly name: 'reviving'; readonly work: PassivatedRun; readonly revival: Promise<void> }
  | { readonly name: 'ended'; readonly work: Engine }
  /** It had ended in another process when it was loaded: nothing of it goes on here. */
  | { readonly name: 'endedBefore'; readonly work: Engine }
  /** This process cannot follow it any more; the run has no end here. */
  | { readonly name: 'lost'; readonly work: Engine | PassivatedRun; readonly error: TroupeError }
