/** Functions of the test kit. Most are called where nothing can wait for them: each row tells what the search or the check says. */
import { getShortestPaths } from '@xstate/graph'
import { answers, explore, never, recordModel, scriptedModel, testPaths } from 'troupe/testing'
import { setup } from 'xstate'
import type { ModelRequest } from 'troupe'
import { worker } from '../../support/agents/agents.ts'
import { inMinutes } from '../minutes.ts'
import { answeredBy, served, type Row } from './runs.ts'

const door = setup({ types: { events: {} as { type: 'open' } } }).createMachine({
  id: 'door',
  initial: 'shut',
  states: { shut: { on: { open: 'open' } }, open: { type: 'final' } },
})
const events = [{ name: 'open', event: { type: 'open' } as const }]
const graph = { outcomes: {}, inputs: { none: undefined }, events }

const request = {
  messages: [{ role: 'user', content: 'Go' }],
  tools: [],
  toolChoice: 'auto',
} as object as ModelRequest
const call = { signal: new AbortController().signal, idempotencyKey: 'k', onDelta: () => undefined } as never

async function paths(options: object): Promise<string> {
  const found = testPaths(door, { ...graph, ...options })
  for (const path of found) await path.run()
  return `${found.length} paths`
}

export const searches: Readonly<Record<string, Row>> = {
  'RunOptions.invariant': { drive: (invariant) => inMinutes(() => paths({ invariant })), good: undefined },
  'PathOptions.pathGenerator': {
    drive: (given) =>
      paths({
        pathGenerator: (...args: Parameters<typeof getShortestPaths>) =>
          answeredBy(given, () => getShortestPaths(...args)),
      }),
    good: served,
  },
  'ConditionRule.condition': {
    drive: async (condition) => {
      const { violations } = await explore(worker('solo', []).agent, {
        say: { solo: [answers('Done.')] },
        rules: { mine: never(condition) },
      })
      return violations.map(({ message }) => message).join()
    },
    good: false,
  },
  'PathOptions.toState': { drive: (toState) => paths({ toState }), good: true },
  'PathOptions.stopWhen': { drive: (stopWhen) => paths({ stopWhen }), good: false },
  'GraphOptions.events': { drive: (given) => paths({ events: given }), good: events },
  'GraphOptions.stateKey': { drive: (stateKey) => paths({ stateKey }), good: 'same' },
  'MachineExploreOptions.stateKey': {
    drive: async (stateKey) =>
      String((await explore(door, { outcomes: {}, events, input: undefined, stateKey } as never)).isComplete),
    good: 'same',
  },
  'ScriptedModelOptions.otherwise': {
    drive: async (otherwise) => (await scriptedModel([], { otherwise }).generate(request, call)).text,
    good: 'Done.',
  },
  'RecordModelOptions.match': {
    drive: async (match) => {
      const model = recordModel(scriptedModel([], { otherwise: 'Done.' }), { match })
      return (await model.generate(request, call)).text
    },
    good: 'same',
  },
}
