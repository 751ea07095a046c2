/** What of the provenance of a run must, and must not, compile. Its peer is not needed for the types. */
import { createAgent, createTroupe } from 'troupe'
import {
  formatExplanation,
  provenanceOf,
  provenanceSink,
  toProvenance,
  why,
  type Explanation,
  type Provenance,
  type Quad,
} from 'troupe/provenance'
import { scriptedModel } from 'troupe/testing'
import { expectType } from '../expect-type.ts'

export async function explains(): Promise<void> {
  const agent = createAgent({ id: 'solo', instructions: '', model: scriptedModel([]) })
  const troupe = createTroupe({ agents: [agent] })
  const graph = await provenanceOf(troupe, 'run', { prefix: 'https://example.org/' })
  expectType<string | undefined>()(graph.answer)
  expectType<Quad[]>()(graph.quads)
  expectType<string>()(graph.toTriG())
  expectType<Explanation>()(why(graph, graph.answer))
  expectType<Explanation>()(why(graph.quads))
  expectType<string>()(formatExplanation(why(graph), { width: 80 }))
  const { events } = await troupe.replay('run')
  expectType<string>()(toProvenance(events).session)
  for (const { kind, delegation } of why(graph).reasons) {
    if (kind === 'completion') expectType<Explanation | undefined>()(delegation)
    // @ts-expect-error there is no such step
    if (kind === 'guess') return
  }
  for (const { object } of graph.quads) {
    if (object.termType === 'Literal') expectType<string>()(object.datatype.value)
  }
  const sink = provenanceSink({ write: (quads) => expectType<readonly Quad[]>()(quads) })
  for (const event of events) sink.take(event)
  expectType<Provenance>()(sink.end(await troupe.journal('run')))
  // @ts-expect-error statements must go somewhere
  provenanceSink({})
  // @ts-expect-error a prefix is a text
  await provenanceOf(troupe, 'run', { prefix: 1 })
  // @ts-expect-error there is no such option
  toProvenance(events, { base: 'https://example.org/' })
}
