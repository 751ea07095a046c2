/** Runs that people ask about, each made by scripted models: what went wrong stands in their journals. */
import { z } from 'zod'
import {
  createAgent,
  createRouter,
  createSupervisor,
  createTool,
  createTroupe,
  type AnyAgent,
  type Store,
} from 'troupe'
import { scriptedModel, virtualClock, type ScriptedReply, type ScriptedStep } from 'troupe/testing'

interface Story {
  readonly agent: AnyAgent
  readonly task: string
}

const usage = { inputTokens: 1000, outputTokens: 100, totalTokens: 1100 }

function says(text: string): ScriptedReply {
  return { text, usage }
}

function asks(name: string, args: Readonly<Record<string, string>>): ScriptedReply {
  return { toolCalls: [{ name, args }], usage }
}

function model(...steps: readonly ScriptedStep[]) {
  return scriptedModel(steps, { modelId: 'teller' })
}

const budget = { prices: { teller: { input: 3, output: 15 } }, currency: 'EUR' }

/** A tool fails two delegations below the agent of the run. */
function failedToolDeepDown(): Story {
  const ledger = createTool({
    id: 'ledger',
    description: 'Reads the ledger.',
    inputSchema: z.object({ account: z.string() }),
    execute: () => {
      throw new Error('ledger offline: connection refused')
    },
  })
  const clerk = createAgent({
    id: 'clerk',
    description: 'Reads books.',
    model: model(asks('ledger', { account: 'A-17' }), says('The ledger could not be read.')),
    tools: { ledger },
  })
  const auditor = createSupervisor({
    id: 'auditor',
    description: 'Audits accounts.',
    model: model(asks('agent-clerk', { prompt: 'Read account A-17.' }), says('No figures.')),
    agents: { clerk },
  })
  const agent = createSupervisor({
    id: 'director',
    model: model(asks('agent-auditor', { prompt: 'Audit account A-17.' }), says('The audit has no figures.')),
    agents: { auditor },
    budget,
  })
  return { agent, task: 'Is account A-17 in order?' }
}

function outOfBudget(): Story {
  const archivist = createAgent({
    id: 'archivist',
    description: 'Searches the archive.',
    model: model(
      asks('shelf', { row: '1' }),
      asks('shelf', { row: '2' }),
      asks('shelf', { row: '3' }),
      says('Row 1 and 2 hold nothing.'),
    ),
    tools: {
      shelf: createTool({
        id: 'shelf',
        description: 'Looks at a row.',
        inputSchema: z.object({ row: z.string() }),
        execute: ({ row }) => `nothing in row ${row}`,
      }),
    },
  })
  const agent = createSupervisor({
    id: 'librarian',
    model: model(
      asks('agent-archivist', { prompt: 'Find the map.' }),
      says('The map was not found in time.'),
    ),
    agents: { archivist },
    budget: { ...budget, modelCalls: 4 },
  })
  return { agent, task: 'Find the map of 1632.' }
}

function rejectedDelegation(): Story {
  const { archivist, writer } = helpers()
  const agent = createSupervisor({
    id: 'editor',
    model: model(
      asks('agent-archivist', { prompt: 'Fetch the sealed letters.' }),
      asks('agent-writer', { prompt: 'Write what is known.' }),
      says('Here is what is public.'),
    ),
    agents: { archivist, writer },
    budget,
    delegation: {
      onDelegationStart: ({ prompt }) =>
        prompt.includes('sealed')
          ? { proceed: false, rejectionReason: 'sealed letters need a warrant' }
          : undefined,
    },
  })
  return { agent, task: 'Write about the letters.' }
}

function changedPrompt(): Story {
  const { archivist } = helpers()
  const agent = createSupervisor({
    id: 'curator',
    model: model(asks('agent-archivist', { prompt: 'Find letters.' }), says('Three letters.')),
    agents: { archivist },
    budget,
    delegation: {
      onDelegationStart: ({ prompt }) => ({ modifiedPrompt: `${prompt} Only those before 1700.` }),
      onDelegationComplete: () => ({ feedback: 'Name the years.' }),
      messageFilter: ({ messages }) => messages.slice(-1),
    },
  })
  return { agent, task: 'Which letters are there?' }
}

function wrongRoute(): Story {
  const { archivist, writer } = helpers()
  const decide = (primitiveId: string, primitiveType: string, prompt: string, selectionReason: string) =>
    says(JSON.stringify({ primitiveId, primitiveType, prompt, selectionReason }))
  const agent = createRouter({
    id: 'desk',
    memory: true,
    model: model(
      decide('writer', 'agent', 'Look up the opening hours.', 'The writer knows the town.'),
      decide('none', 'none', 'I cannot say.', 'Nothing more can be done.'),
    ),
    agents: { archivist, writer },
    budget,
  })
  return { agent, task: 'When does the archive open?' }
}

function completedOverFailures(): Story {
  const failing = (id: string) =>
    createAgent({
      id,
      description: `Does the work of the ${id}.`,
      model: model({ error: new Error(`${id} is out of order`) }),
      retries: 0,
    })
  const agent = createSupervisor({
    id: 'manager',
    model: model(
      {
        usage,
        toolCalls: ['north', 'south', 'west'].map((name) => ({
          name: `agent-${name}`,
          args: { prompt: `Count the ${name}.` },
        })),
      },
      says('All counted.'),
    ),
    agents: { north: failing('north'), south: failing('south'), west: failing('west') },
    budget,
  })
  return { agent, task: 'Count all regions.' }
}

function helpers() {
  const archivist = createAgent({
    id: 'archivist',
    description: 'Searches the archive.',
    model: model(says('Three letters of 1650.')),
  })
  const writer = createAgent({
    id: 'writer',
    description: 'Writes.',
    model: model(says('I do not know the hours.')),
  })
  return { archivist, writer }
}

/** By their names, which are their run ids. */
export const stories = {
  failedToolDeepDown,
  outOfBudget,
  rejectedDelegation,
  changedPrompt,
  wrongRoute,
  completedOverFailures,
} as const satisfies Readonly<Record<string, () => Story>>

const start = Date.UTC(2026, 10, 30, 3)

export type StoryName = keyof typeof stories

/** Runs them all to their ends in this store, by a clock that stands still; returns their agents. */
export async function tellAll(store: Store): Promise<readonly AnyAgent[]> {
  const agents: AnyAgent[] = []
  for (const [name, make] of Object.entries(stories)) {
    const { agent, task } = make()
    const troupe = createTroupe({
      agents: [agent],
      store,
      clock: virtualClock({ start }),
      onError: () => undefined,
    })
    const run = await troupe.start(agent, task, { runId: name })
    await run.result
    await troupe.close()
    agents.push(agent)
  }
  return agents
}
