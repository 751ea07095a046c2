/** A run of a seeded team to its end: its questions are answered and its cancels given as the seed says. */
import { createTroupe, memoryStore, type Store, type Troupe } from 'troupe'
import { seededTeam, type PatternName } from '../../restate/soak/seeded-team.ts'

export async function seededRun(
  seed: number,
  pattern: PatternName,
  store: Store = memoryStore(),
): Promise<{ readonly troupe: Troupe; readonly runId: string }> {
  const team = seededTeam(seed, pattern)
  const troupe = createTroupe({ agents: [team.root], store })
  const run = await troupe.start(team.root, 'Do it.')
  const said: Promise<unknown>[] = []
  team.moments.listen((cancel) => said.push(run.signal(cancel)))
  for await (const event of run.events) {
    team.moments.see(event)
    if (event.type === 'tool-call-approval')
      await run.signal(team.answer(event.payload.toolCallId, 'approval'))
    if (event.type === 'tool-call-suspended')
      await run.signal(team.answer(event.payload.toolCallId, 'suspension'))
  }
  await Promise.all(said)
  await run.result
  return { troupe, runId: run.id }
}
