/** The choices behind one entity of a graph. */
import type { Choice } from './explanation.ts'
import type { GraphIndex } from './graph-index.ts'

export function choicesOf(graph: GraphIndex, uri: string): Choice[] {
  if (graph.is(uri, 'troupe:Choice')) return [namedChoice(graph, uri)]
  const offered = graph.all(uri, 'tg:toolCandidate')
  if (offered.length === 0) return []
  return [
    {
      subject: graph.is(uri, 'tg:Plan') ? 'plan' : 'action',
      options: offered,
      chosen: graph.all(uri, 'tg:action'),
      criterion: 'model',
    },
  ]
}

function namedChoice(graph: GraphIndex, uri: string): Choice {
  const label = (option: string) => graph.one(option, 'rdfs:label') ?? option
  const rationale = graph.one(uri, 'troupe:rationale')
  const words = rationale === undefined ? undefined : graph.one(rationale, 'prov:value')
  const fallback = graph.one(uri, 'troupe:fallback')
  return {
    subject: graph.one(uri, 'troupe:subject') ?? '',
    options: graph.all(uri, 'troupe:candidate').map(label),
    chosen: graph.all(uri, 'troupe:chosen').map(label),
    criterion: graph.one(uri, 'troupe:criterion') ?? '',
    ...(words === undefined ? {} : { rationale: words }),
    ...(fallback === undefined ? {} : { fallback }),
  }
}
