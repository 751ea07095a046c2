/**
 * The shapes of work that are measured with and without a bail. A supervisor that does not bail reads the answers of its
 * subagents, and writes an answer of its own that says the same.
 */
import {
  createAgent,
  createPlanner,
  createSupervisor,
  type AgentDefinition,
  type AnyAgent,
  type ModelReply,
  type ModelRequest,
  type Prompt,
} from 'troupe'
import type { Provider } from './provider.ts'
import { prose, randomFrom } from './random.ts'

/** Tokens of texts, as they are in applications. */
const sizes = { supervisor: 800, subagent: 500, description: 60, task: 80, answer: 350, turn: 150 }

export interface Setting {
  readonly provider: Provider
  /** The same for the run with a bail and the one without. */
  readonly seed: number
  readonly bails: boolean
}

export interface Shape {
  readonly title: string
  agent(setting: Setting): AnyAgent
  readonly prompt: Prompt
}

type Calls = NonNullable<ModelReply['toolCalls']>

const task = prose(sizes.task)
const random = ({ seed }: Setting, name: string) =>
  randomFrom(seed * 7_919 + name.split('').reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7))

function expert(setting: Setting, name: string): AgentDefinition {
  const own = random(setting, name)
  return createAgent({
    id: name,
    description: prose(sizes.description),
    instructions: prose(sizes.subagent),
    model: setting.provider.model(name, own, () => ({ text: prose(own.around(sizes.answer, 0.5)) })),
  })
}

interface Team {
  readonly agents: Readonly<Record<string, AgentDefinition>>
  /** The calls that follow when a number of results are there; none: the answer. */
  readonly decide: (results: number) => Calls
  /** The subagents whose answer is that of the run. */
  readonly answering: readonly string[]
}

function supervisor(setting: Setting, name: string, { agents, decide, answering }: Team): AgentDefinition {
  const own = random(setting, name)
  return createSupervisor({
    id: name,
    description: prose(sizes.description),
    instructions: prose(sizes.supervisor),
    agents,
    model: setting.provider.model(name, own, (request) => {
      const toolCalls = decide(resultsIn(request))
      return { text: toolCalls.length === 0 ? prose(own.around(sizes.answer, 0.5)) : '', toolCalls }
    }),
    toolCallConcurrency: 5,
    maxSteps: 10,
    delegation: { onDelegationComplete: bailing(setting, answering) },
  })
}

function bailing({ bails }: Setting, answering: readonly string[]) {
  return ({ agentName, bail }: { readonly agentName: string; bail(): void }): void => {
    if (bails && answering.includes(agentName)) bail()
  }
}

function resultsIn({ messages }: ModelRequest): number {
  return messages.filter(({ role }) => role === 'tool').length
}

function callOf(name: string): Calls[number] {
  return { id: `call-${name}`, name: `agent-${name}`, args: { prompt: task } }
}

const five = ['one', 'two', 'three', 'four', 'five'] as const

function experts(setting: Setting, names: readonly string[]): Readonly<Record<string, AgentDefinition>> {
  return Object.fromEntries(names.map((name) => [name, expert(setting, name)]))
}

/** One call after the other. */
function inARow(names: readonly string[]): Team['decide'] {
  return (results) => names.slice(results, results + 1).map(callOf)
}

function atOnce(names: readonly string[]): Team['decide'] {
  return (results) => (results === 0 ? names.map(callOf) : [])
}

function desk(setting: Setting, name: string, names: readonly string[] = ['expert']): AgentDefinition {
  return supervisor(setting, name, {
    agents: experts(setting, names),
    decide: inARow(names),
    answering: names,
  })
}

function nested(setting: Setting): AgentDefinition {
  return supervisor(setting, 'lead', {
    agents: { desk: desk(setting, 'desk') },
    decide: inARow(['desk']),
    answering: ['desk'],
  })
}

/** Two steps side by side, and a third that writes the answer from their results. */
function planned(setting: Setting): AnyAgent {
  const own = random(setting, 'planner')
  const step = (name: string, ...dependsOn: string[]) => ({
    id: name,
    goal: prose(20),
    toolHint: `agent-${name}`,
    dependsOn,
  })
  const plan = JSON.stringify({ steps: [step('one'), step('two'), step('writer', 'one', 'two')] })
  return createPlanner({
    id: 'planner',
    instructions: prose(sizes.supervisor),
    agents: experts(setting, ['one', 'two', 'writer']),
    model: setting.provider.model('planner', own, ({ responseFormat }) => ({
      text: responseFormat === undefined ? prose(own.around(sizes.answer, 0.5)) : plan,
    })),
    delegation: { onDelegationComplete: bailing(setting, ['writer']) },
  })
}

const conversation: Prompt = [
  ...Array.from({ length: 40 }, (_, turn) => ({
    role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: prose(sizes.turn),
  })),
  { role: 'user', content: task },
]

export const shapes: readonly Shape[] = [
  { title: 'one subagent', prompt: task, agent: (setting) => desk(setting, 'lead') },
  {
    title: 'one subagent, after a conversation of 40 messages',
    prompt: conversation,
    agent: (setting) => desk(setting, 'lead'),
  },
  {
    title: 'five in a row, the last one answers',
    prompt: task,
    agent: (setting) =>
      supervisor(setting, 'lead', {
        agents: experts(setting, five),
        decide: inARow(five),
        answering: ['five'],
      }),
  },
  {
    title: 'five in a row, the third one answers, and the model would go on',
    prompt: task,
    agent: (setting) =>
      supervisor(setting, 'lead', {
        agents: experts(setting, five),
        decide: inARow(five),
        answering: ['three'],
      }),
  },
  {
    title: 'five at once, the first to be done answers',
    prompt: task,
    agent: (setting) =>
      supervisor(setting, 'lead', {
        agents: experts(setting, five),
        decide: atOnce(five),
        answering: five,
      }),
  },
  { title: 'a supervisor below a supervisor, and both bail', prompt: task, agent: nested },
  { title: 'a plan of three steps, the last one answers', prompt: task, agent: planned },
]
