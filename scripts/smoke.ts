/** A user's program: it is compiled and run in a project that has nothing but the packed package. */
import { createAgent, createSupervisor, createTool, createTroupe, memoryStore } from 'troupe'
import { toMermaid, toSvg } from 'troupe/diagram'
import { formatExplanation, provenanceOf, why } from 'troupe/provenance'
import { sqliteStore } from 'troupe/sqlite'
import { scriptedModel } from 'troupe/testing'
import { toTrustGraphChunks, type TrustGraphChunk } from 'troupe/trustgraph'
import { createActor, createMachine, setup, toPromise, waitFor } from 'xstate'
import { z } from 'zod'

const add = createTool({
  id: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})
const adder = createAgent({
  id: 'adder',
  description: 'Adds.',
  instructions: 'Add.',
  model: scriptedModel([{ toolCalls: [{ name: 'add', args: { a: 2, b: 3 } }] }, 'The sum is 5.']),
  tools: { add },
})
const lead = createSupervisor({
  id: 'lead',
  instructions: 'Delegate.',
  model: scriptedModel([{ toolCalls: [{ name: 'agent-adder', args: { prompt: '2 + 3' } }] }, 'Five.']),
  agents: { adder },
})

const troupe = createTroupe({ agents: [lead] })
const run = await troupe.start(lead, 'How much is 2 + 3?')
const result = await run.result
expect('the outcome', result.outcome, 'completed')
expect('the text', result.text, 'Five.')
expect(
  'the delegations',
  result.delegations.map(({ agent, outcome, text }) => [agent, outcome, text]).join(),
  'adder,succeeded,The sum is 5.',
)
expect('the text of the replay', (await troupe.replay(run.id)).result?.text, 'Five.')
// The transitions come from a private field of xstate, whose production build runs here.
const trail = await troupe.trail(run.id)
expect(
  'the transition to the end',
  trail.entries.flatMap(({ transitions }) => transitions).findLast(({ path }) => path === 'lead')?.to,
  'completed',
)
expect('the last state of the trail', trail.view(trail.length)[0]?.state, 'completed')
expect(
  'the charts',
  troupe.charts().some(({ id }) => id === 'delegation'),
  true,
)

const chunks: TrustGraphChunk[] = []
for await (const chunk of toTrustGraphChunks(run.events)) chunks.push(chunk)
const said = chunks.filter((chunk) => chunk.message_type === 'answer').map(({ content }) => content)
expect('the chunks of the answers', said.join('|'), 'The sum is 5.|Five.|')
expect(
  'the chunk that ends the dialog',
  chunks.findIndex((chunk) => chunk.end_of_dialog),
  chunks.length - 1,
)

const graph = await provenanceOf(troupe, run.id)
expect('why', formatExplanation(why(graph)).split('\n')[3], '    action: none, of agent-adder (model)')
expect('the Turtle', graph.toTurtle().startsWith('@prefix prov: <http://www.w3.org/ns/prov#>.'), true)

for (const worker of [false, true]) {
  const store = sqliteStore(`runs-${worker}.db`, { worker })
  const solo = createAgent({ id: 'solo', instructions: 'Answer.', model: scriptedModel(['Kept.']) })
  const kept = await createTroupe({ agents: [solo], store }).start(solo, 'Go')
  expect('the outcome of a run that is kept', (await kept.result).outcome, 'completed')
  await store.close()
  const again = sqliteStore(`runs-${worker}.db`, { worker })
  const troupe = createTroupe({ agents: [solo], store: again })
  expect('the replay from the file', (await troupe.replay(kept.id)).result?.text, 'Kept.')
  await again.close()
}

// An app that hosts an agent, is closed in mid-run, and is restored from its own snapshot.
const asked = Promise.withResolvers<void>()
const slow = scriptedModel([() => (asked.resolve(), { hang: true }), 'Slow, and there.'])
const thinker = createAgent({ id: 'thinker', instructions: 'Think.', model: slow })
const store = memoryStore()
const monday = openApp()
const first = createActor(monday.app).start()
await asked.promise
const snapshot = JSON.stringify(first.getPersistedSnapshot())
await monday.troupe.close()
await waitFor(first, ({ value }) => value === 'closed')
const restored = createActor(openApp().app, { snapshot: JSON.parse(snapshot) }).start()
expect('the text of the restored run', await toPromise(restored), 'Slow, and there.')
const left = createActor(createTroupe({ agents: [adder] }).logic(adder), { input: { prompt: '1 + 1' } })
left.start()
left.stop()
expect('the status of a stopped run', left.getSnapshot().status, 'stopped')

function openApp() {
  const troupe = createTroupe({ agents: [thinker], store })
  const app = setup({
    types: { output: {} as string },
    actors: { thinker: troupe.logic(thinker) },
  }).createMachine({
    initial: 'thinking',
    states: {
      thinking: {
        invoke: {
          src: 'thinker',
          id: 'thinker',
          input: { prompt: 'Think.' },
          onDone: 'thought',
          onError: 'closed',
        },
      },
      closed: {},
      thought: {
        type: 'final',
        output: ({ event }) => (event as { output?: { text: string } }).output?.text,
      },
    },
    output: ({ event }) => event.output as string,
  })
  return { troupe, app }
}

const light = createMachine({
  id: 'light',
  initial: 'red',
  states: { red: { on: { go: 'green' } }, green: {} },
})
expect('the chart', toMermaid(light).split('\n')[0], 'stateDiagram-v2')
expect('the drawing', toSvg(light).slice(0, 4), '<svg')

expect(
  'the build of troupe',
  import.meta.resolve('troupe').endsWith('/node_modules/troupe/dist/index.js'),
  true,
)
expect('the development build of xstate', import.meta.resolve('xstate').includes('development'), false)
console.log('The packed package works, with the production build of xstate.')

function expect(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, got ${String(actual)}.`)
}
