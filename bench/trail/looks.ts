/** Ways to look at a run. */
import type { Troupe } from 'troupe'

export type Look = 'journal' | 'replay' | 'trail'

export const looks: Readonly<Record<Look, (troupe: Troupe, runId: string) => Promise<unknown>>> = {
  journal: (troupe, runId) => troupe.journal(runId),
  replay: (troupe, runId) => troupe.replay(runId),
  trail: (troupe, runId) => troupe.trail(runId),
}
