/** What must hold when all is quiet: every run has ended, and reads as it was seen. */
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { SimulatedProcess, Machine } from '../process.ts'
import { Random } from '../random.ts'
import type { World } from '../world.ts'

export async function checkEnd(world: World): Promise<void> {
  const { findings, callers, storeWitness } = world
  for (const [runId, { hasEnded }] of storeWitness.runs) {
    if (!hasEnded) findings.add('stuck', `${runId} has not come to its end`)
  }
  await callers.checkAnswers()
  await callers.checkCancels()
  callers.checkAwaited()
  await checkReplays(world)
}

async function checkReplays(world: World): Promise<void> {
  const { base, callers, effects, findings, scheduler, storeWitness } = world
  const reader = new SimulatedProcess('reader', new Machine('reader', 0), scheduler, new Random('reader'))
  const troupe = createTroupeIn(reader.environment, {
    agents: Object.values(world.company(reader)),
    store: base,
  })
  for (const [runId, { entries }] of storeWitness.runs) {
    const callsBefore = effects.calls
    try {
      const { result, events } = await troupe.replay(runId)
      const seen = callers.results.get(runId)
      const replayed = JSON.stringify(result)
      const recorded = entries.find((entry) => entry.type === 'run.settled')
      if (result?.outcome !== recorded?.outcome || result?.text !== recorded?.text) {
        findings.add('replay', `${runId} is recorded as ${recorded?.outcome}, and replays to ${replayed}`)
      }
      if (seen !== undefined && seen !== replayed) {
        findings.add('replay', `${runId} was ${seen}, and replays to ${replayed}`)
      }
      for (const [seq, told] of callers.events.get(runId) ?? []) {
        const event = JSON.stringify(events[seq - 1])
        if (event === told) continue
        findings.add('toldEvents', `${runId}: event ${seq} was ${told}, and replays to ${event}`)
        break
      }
    } catch (error) {
      findings.add('replay', `${runId} does not replay: ${(error as Error).message}`)
    }
    if (effects.calls !== callsBefore)
      findings.add('performsNothing', `the replay of ${runId} performed effects`)
  }
  for (const runId of callers.started) {
    if (!storeWitness.runs.has(runId)) findings.add('toldStart', `${runId} had started, and is nowhere`)
  }
}
