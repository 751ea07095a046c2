/** What a journal says of a run does not depend on how often the run was interrupted, or where its journal lay. */
import { createTroupe, memoryStore, type Store } from 'troupe'
import { provenanceOf, toProvenance, type Provenance } from 'troupe/provenance'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { allEvents, only, worker } from '../support/agents/agents.ts'
import { divides, enough, fanOut } from '../support/agents/fan-outs.ts'
import { provProblems } from '../support/prov.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** `hangs`: the second child never answers in this process. */
function board(hangs: boolean) {
  const agents = {
    a: worker('first', [], { otherwise: 'One.' }).agent,
    b: worker('second', [], { otherwise: hangs ? { hang: true } : 'Two.' }).agent,
  }
  const goals = divides({ goal: 'g1', agent: 'a' }, { goal: 'g2', agent: 'b' })
  const otherwise = ({ responseFormat }: { readonly responseFormat?: { readonly name: string } }) =>
    responseFormat === undefined ? 'Sum.' : responseFormat.name === 'goals' ? goals : enough
  return fanOut('board', [], { agents, otherwise, toolCallConcurrency: 1 }).agent
}

async function uninterrupted(store: Store): Promise<Provenance> {
  const agent = board(false)
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Q?', { conversationId: 'talk' })
  await run.result
  const graph = await provenanceOf(troupe, run.id)
  await troupe.close()
  return graph
}

/** Without what two runs never share: their ids, and the times. */
function comparable({ runId, quads, toNQuads }: Provenance): string[] {
  expect(provProblems(quads)).toEqual([])
  return toNQuads()
    .replaceAll(runId, 'RUN')
    .split('\n')
    .filter((line) => !/AtTime> /.test(line))
    .toSorted()
}

test('a run that was cut off, and recovered from SQLite, has the graph of one that never was', async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'))
  const cut = board(true)
  const before = createTroupe({ agents: [cut], store })
  const run = await before.start(cut, 'Q?', { conversationId: 'talk' })
  const seen: string[] = []
  for await (const event of run.events) {
    seen.push(event.type)
    if (event.type === 'step-start' && event.agent === 'second') break
  }
  const half = await provenanceOf(before, run.id)
  expect(provProblems(half.quads)).toEqual([])
  expect(half.answer).toBeUndefined()
  await before.close()
  await store.close?.()

  const again = sqliteStore(folder.file('runs.db'))
  const agent = board(false)
  const after = createTroupe({ agents: [agent], store: again })
  const resumed = await after.resume(run.id)
  expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'Sum.' })
  const graph = await provenanceOf(after, run.id)
  expect(graph.answer).toBe(`urn:trustgraph:agent:${run.id}/answer`)
  expect(comparable(graph)).toEqual(comparable(await uninterrupted(memoryStore())))

  // The events of the resumed run lead to the same graph.
  const events = await allEvents(resumed)
  expect(only(events, 'run-finish')).toHaveLength(1)
  expect(toProvenance(events).toNQuads()).toBe(graph.toNQuads())

  // And it is the same from the file alone, each time.
  expect((await provenanceOf(after, run.id)).toTriG()).toBe(graph.toTriG())
  await after.close()
  await again.close?.()
})
