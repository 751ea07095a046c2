/**
 * The trail of a run by its journal alone. The first entry has the structure of the agents, and the other entries have what
 * their functions, models and tools have answered: a replay needs no more. Words and schemas of the agents are not on record.
 */
import type { AnyStateMachine } from 'xstate'
import { z } from 'zod'
import type { Chart } from '../../actors/charts/chart.ts'
import type { ChatModel } from '../../actors/chat-model.ts'
import { createTool } from '../../actors/create-tool.ts'
import { Toolset } from '../../actors/toolset/toolset.ts'
import { once } from '../../actors/values/once.ts'
import { TroupeError } from '../../errors.ts'
import { debateMachine } from '../../machines/debate.ts'
import { dispatchMachine } from '../../machines/dispatch.ts'
import { fanOutMachine } from '../../machines/fan-out.ts'
import { metaRouterMachine } from '../../machines/meta-router.ts'
import { planThenExecuteMachine } from '../../machines/plan-then-execute.ts'
import { reactMachine } from '../../machines/react.ts'
import { reflexionMachine } from '../../machines/reflexion.ts'
import { remoteMachine } from '../../machines/remote.ts'
import { routerMachine } from '../../machines/router.ts'
import { supervisorMachine } from '../../machines/supervisor.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { partsOf } from '../definition/parts.ts'
import { createRegistry } from '../definition/registry.ts'
import { startedOf, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import type { Pattern } from '../options/pattern.ts'
import type { RecordedAgent } from '../program/recorded.ts'
import { chartsOf } from './charts.ts'
import { journalTrail, type TrailSource } from './journal-trail.ts'
import type { Trail } from './trail.ts'

/** A chart of an adapter is not on record. */
const charts: Readonly<Partial<Record<Pattern, () => AnyStateMachine>>> = {
  react: reactMachine,
  supervisor: supervisorMachine,
  router: routerMachine,
  'plan-then-execute': planThenExecuteMachine,
  'fan-out': fanOutMachine,
  'meta-router': metaRouterMachine,
  reflexion: reflexionMachine,
  debate: debateMachine,
  dispatch: dispatchMachine,
  remote: remoteMachine,
}

/**
 * The trail of a journal without the program of its run. Messages and contexts in its views lack the words that the program
 * has, such as instructions. Rejects with a `TroupeError` of the code `AGENT_NOT_HERE` where the journal does not have the
 * agents, or has one with a chart of its own, and with a `JournalMismatchError` where the record does not suffice. `growing`: reads
 * the entries from a position on, of a journal that grows, and replays so many at once.
 */
export async function recordedTrail(
  journal: readonly JournalEntry[],
  growing: Partial<Pick<TrailSource, 'read' | 'limit'>> = {},
): Promise<Trail> {
  const agents = agentsOnRecord(startedOf(journal))
  const read = async (from: number): Promise<readonly JournalEntry[]> => journal.slice(from)
  return journalTrail({ read, ...growing, agents: createRegistry(agents) })
}

/**
 * The charts of the agents that a journal has on its record, with those of the machines below them. Throws as `recordedTrail`
 * rejects.
 */
export function recordedCharts(journal: readonly JournalEntry[]): readonly Chart[] {
  return chartsOf(createRegistry(agentsOnRecord(startedOf(journal))))
}

/**
 * The agents of a run as its first entry has them: they serve to read the run and to address its questions, and can do nothing.
 * Throws a `TroupeError` of the code `AGENT_NOT_HERE` as `recordedTrail` does.
 */
export function agentsOnRecord({
  runId,
  agent,
  agents,
  version,
  versions = {},
}: RunStarted): AgentDefinition[] {
  if (agents === undefined) throw notOnRecord(runId, 'The journal does not have the agents of the run.')
  return Object.entries(agents).map(([id, recorded]) => {
    const chart = charts[recorded.structure.pattern]
    if (chart === undefined) throw notOnRecord(runId, `The agent "${id}" has a chart of its own.`)
    const own = id === agent ? version : Object.hasOwn(versions, id) ? (versions[id] ?? undefined) : undefined
    return blank(id, own, recorded, chart)
  })
}

/** An agent without content: the run gives it the structure that is on record. */
function blank(
  id: string,
  version: string | undefined,
  { structure }: RecordedAgent,
  chart: () => AnyStateMachine,
): AgentDefinition {
  const where = `the agent "${id}" on record`
  const { responseFormat } = structure.settings
  const tools = Object.fromEntries(Object.keys(structure.tools ?? {}).map((name) => [name, anyTool()]))
  return {
    id,
    version,
    status: 'published',
    onDrift: undefined,
    description: '',
    pattern: structure.pattern,
    chart,
    ...partsOf({ instructions: '', model: noModel, tools: {}, workflows: {}, agents: {} }, where),
    toolset: Toolset.of(tools),
    dynamic: [],
    contextSchema: undefined,
    handoffs: undefined,
    configure: undefined,
    options: {},
    settings: {
      ...structure.settings,
      responseFormat: responseFormat === undefined ? undefined : { name: 'answer', schema: {} },
    },
    generate: async () => notHere(where),
    stream: () => notHere(where),
  }
}

/** What the record says of a tool takes the place of all but its words, which are not on record. */
const anyTool = once(() =>
  createTool({
    id: 'recorded',
    description: 'on record',
    inputSchema: z.looseObject({}),
    execute: () => notHere('a tool on record'),
  }),
)

const noModel: ChatModel = { provider: '', modelId: '', generate: async () => notHere('a model on record') }

function notHere(what: string): never {
  throw new TroupeError('AGENT_NOT_HERE', `Nothing runs by ${what}.`)
}

function notOnRecord(runId: string, reason: string): TroupeError {
  return new TroupeError('AGENT_NOT_HERE', `The run "${runId}" cannot be replayed by its record: ${reason}`, {
    runId,
  })
}
