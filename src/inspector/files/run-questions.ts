/** The questions of a run that wait for an answer. */
import type { OpenQuestion } from '../../runtime/journal/run-index.ts'
import type { RunService } from '../../runtime/troupe/run-service.ts'
import type { RunFacts } from './run-facts.ts'

/** From the inbox of the service; from the events of the run where the service has none, as a client of Restate without `admin`. */
export async function questionsOf(
  service: Pick<RunService, 'awaiting'>,
  runId: string,
  facts: RunFacts,
): Promise<readonly OpenQuestion[]> {
  if (facts.hasEnded) return []
  try {
    return (await service.awaiting({ runId })).items
  } catch {
    return facts.asked // what the inbox cannot tell, the run has told
  }
}
