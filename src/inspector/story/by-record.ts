/** A service of runs that tells of them without their agents too: by the structure of agents that their journals have. */
import type { Chart, RunService } from '../../index.ts'
import { recordedCharts, recordedTrail } from '../../kit/index.ts'
import { isUnreplayable } from '../files/entry-source.ts'
import type { StoryService } from './record-story.ts'

/** Where a journal has no agents, or one with a chart of its own, its trail is refused as before. */
export function byRecord(service: StoryService): StoryService {
  let onRecord: readonly Chart[] = []
  const trail: RunService['trail'] = async (runId, options) => {
    try {
      return await service.trail(runId, options)
    } catch (error) {
      if (!isUnreplayable(error)) throw error
      const journal = await service.journal(runId)
      if ('parts' in journal) throw error
      const recorded = await recordedTrail(journal)
      onRecord = recordedCharts(journal)
      return recorded
    }
  }
  return {
    trail,
    journal: (...args: Parameters<RunService['journal']>) => service.journal(...args),
    charts: () => [...service.charts(), ...onRecord],
  }
}
