/** A message of a person in mid-run: from outside of the run, attributed to the person, and a source of the next reply. */
import { createTroupe } from 'troupe'
import { formatExplanation, provenanceOf, why } from 'troupe/provenance'
import { expect, test } from 'vitest'
import { calls, until, worker } from '../support/agents/agents.ts'
import { guarded } from '../support/agents/guarded.ts'
import { transfer } from '../support/agents/handoffs.ts'
import { provProblems, said } from '../support/prov.ts'

test('the reply after it derives from it, and so does the answer', async () => {
  const { agent } = worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], { tools: { guarded } })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Q?')
  await until(run, 'tool-call-approval')
  await run.say('Be brief.', { by: 'Ann B.', id: 'm1' })
  await run.say('And kind.', { id: 'm2' })
  await run.approve('solo/call:1.1')
  await run.result
  const graph = await provenanceOf(troupe, run.id)
  expect(provProblems(graph.quads)).toEqual([])
  expect(said(graph, 'run:message/m1')).toMatchObject({
    'rdf:type': ['prov:Entity', 'troupe:Message'],
    'prov:value': ['Be brief.'],
    'prov:wasAttributedTo': ['urn:trustgraph:person:Ann%20B.'],
  })
  expect(said(graph, 'run:message/m2')).not.toHaveProperty('prov:wasAttributedTo')
  expect(said(graph, 'run:i2')['prov:wasDerivedFrom']).toEqual(
    expect.arrayContaining(['run:message/m1', 'run:message/m2', 'run:call:1.1/observation']),
  )
  expect(said(graph, 'run:')['prov:used']).toContain('run:message/m1')
  expect(formatExplanation(why(graph))).toContain('message: "Be brief."')
  await troupe.close()
})

test('the successor after a handoff is the one that used it; one that no model has read is no source', async () => {
  const gate = Promise.withResolvers<void>()
  const clerk = worker('clerk', ['Done.']).agent
  const { agent } = worker('desk', [calls(transfer('clerk'))], {
    handoffs: { clerk },
    onStepFinish: () => gate.promise,
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Q?')
  await until(run, 'step-start')
  await run.say('Be brief.', { id: 'm1' })
  gate.resolve()
  await run.result
  const graph = await provenanceOf(troupe, run.id)
  expect(provProblems(graph.quads)).toEqual([])
  expect(said(graph, 'run:clerk~1')['prov:used']).toContain('run:clerk~1/message/m1')

  const other = worker('solo', [calls({ name: 'guarded', args: {} })], { tools: { guarded } }).agent
  const second = createTroupe({ agents: [other] })
  const unheard = await second.start(other, 'Q?')
  await until(unheard, 'tool-call-approval')
  await unheard.say('Be brief.')
  await unheard.cancel()
  await unheard.result
  expect(JSON.stringify((await provenanceOf(second, unheard.id)).toJsonLd())).not.toContain('Be brief.')
  await Promise.all([troupe.close(), second.close()])
})
