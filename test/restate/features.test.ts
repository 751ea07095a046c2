/** What a run may be given and may use is the same on both engines, one thing at a time. */
import {
  createSupervisor,
  createWorkflow,
  memoryStore,
  textOf,
  type AnyAgent,
  type CallOptions,
  type JsonValue,
  type ModelRequest,
} from 'troupe'
import { codeMode } from 'troupe/code-mode'
import { scriptedModel } from 'troupe/testing'
import { fromPromise } from 'xstate'
import { z } from 'zod'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { tool, tools } from '../support/agents/tool-groups.ts'
import { boss, worker as versioned } from '../support/agents/versions.ts'
import { Desk } from './crashes/desk.ts'
import { courseHere, courseOnRestate, type Course, type Team } from './soak/differential.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

interface Play {
  readonly root: AnyAgent
  readonly others?: readonly AnyAgent[]
}

const call = (name: string) => calls({ name, args: {} })

const shownLast = (messages: ModelRequest['messages']): string => textOf(messages.at(-1)?.content ?? '')

const contextSchema = z.object({ tier: z.string() })

const plays: Record<string, { readonly make: () => Play; readonly options?: CallOptions; text: string }> = {
  'a program that calls tools, below a supervisor': {
    make: () => {
      const code = codeMode({ id: 'code', tools: { note: tool('note'), other: tool('other') } })
      const program =
        'const both = await Promise.all([tools.note({}), tools.other({})]); return [both, await tools.note({})]'
      const { agent } = lead('boss', [calls(to('code', program)), ({ messages }) => shownLast(messages)], {
        agents: { code },
      })
      return { root: agent }
    },
    text: '[["note done","other done"],"note done"]',
  },
  'memory of a parent and of a subagent': {
    make: () => {
      const note = calls({ name: 'update-working-memory', args: { content: 'Likes tea.' } })
      const { agent: helper } = worker('helper', ['Helped.'], { memory: true })
      const { agent } = lead('boss', [note, calls(to('helper', 'Help')), 'Noted.'], {
        agents: { helper },
        memory: { workingMemory: true },
      })
      return { root: agent }
    },
    options: { threadId: 'thread', resourceId: 'ada' },
    text: 'Noted.',
  },
  'data of a provider, given back to its model alone': {
    make: () => {
      const sealed = (name: string, args: Record<string, string>, seal: string) => ({
        toolCalls: [{ name, args, providerData: { seal: `${seal} call` } }],
        reasoning: 'Hm.',
        keepReasoning: true as const,
        providerData: { seal },
      })
      /** What the model is given back, as its answer. */
      const tells = ({ messages }: ModelRequest): string =>
        messages
          .flatMap((message) => {
            if (message.role !== 'assistant') return []
            const { providerData, reasoning, toolCalls = [] } = message
            return [JSON.stringify([reasoning, providerData, ...toolCalls.map((one) => one.providerData)])]
          })
          .join(' ')
      const { agent: helper } = worker('helper', [sealed('note', {}, 'inner'), tells], {
        tools: { note: tool('note') },
      })
      const { agent } = lead('boss', [sealed('agent-helper', { prompt: 'Help' }, 'outer'), tells], {
        agents: { helper },
      })
      return { root: agent }
    },
    text: '["Hm.",{"seal":"outer"},{"seal":"outer call"}]',
  },
  'groups and states of tools, inherited': {
    make: () => {
      const given = tools({ open: { nextState: 'opened' }, shut: { applicableStates: ['opened'] } })
      const { agent: helper } = worker('helper', [call('open'), call('shut'), 'Helped.'], { tools: given })
      const { agent } = lead('boss', [call('open'), calls(to('helper', 'Help')), call('shut'), 'Shut.'], {
        agents: { helper },
        tools: given,
        toolGroups: ['default'],
      })
      return { root: agent }
    },
    text: 'Shut.',
  },
  'parts that are made of the context': {
    make: () => {
      const { agent: one } = worker('one', ['One.'])
      const agent = createSupervisor({
        id: 'boss',
        contextSchema,
        instructions: ({ context }) => `Serve the ${context.tier}.`,
        model: () => scriptedModel([], { otherwise: ({ messages }) => next(messages.length) }),
        agents: () => ({ one }),
        tools: () => tools({ open: {} }),
      })
      const next = (seen: number) =>
        seen === 2 ? calls(to('one', 'Go'), { name: 'open', args: {} }) : 'Served.'
      return { root: agent, others: [one] }
    },
    options: { context: { tier: 'paid' } },
    text: 'Served.',
  },
  'a version of a subagent that is asked for': {
    make: () => {
      const draft = versioned('writer', { version: '2', status: 'draft' })
      const writer = versioned('writer', { version: '1' })
      return { root: boss('boss', {}, { writer }), others: [draft] }
    },
    options: { versions: { agents: { writer: { versionId: '2' } } } },
    text: 'boss none(writer 2)',
  },
  'a depth that is given with the run': {
    make: () => {
      const { agent: deep } = worker('deep', ['Deep.'])
      const { agent: middle } = lead('middle', [calls(to('deep', 'Go')), 'Middle.'], { agents: { deep } })
      const { agent } = lead('boss', [calls(to('middle', 'Go')), 'Top.'], { agents: { middle } })
      return { root: agent }
    },
    options: { maxDepth: 1, retries: 0 } as CallOptions,
    text: 'Top.',
  },
  'a workflow of the user': {
    make: () => {
      const double = createWorkflow({
        id: 'double',
        description: 'Doubles.',
        inputSchema: z.object({ n: z.number() }),
        logic: fromPromise(async ({ input }: { input: { n: number } }) => ({ total: input.n * 2 })),
      })
      const { agent } = worker('boss', [calls({ name: 'double', args: { n: 2 } }), 'Doubled.'], {
        workflows: { double },
      })
      return { root: agent }
    },
    text: 'Doubled.',
  },
  'a handoff below, with what was said before': {
    make: () => {
      const { agent: expert } = worker('expert', ['Said the expert.'])
      const { agent: clerk } = worker('clerk', [calls({ name: 'transfer-to-expert', args: {} })], {
        handoffs: [expert],
      })
      const { agent } = lead('boss', [calls(to('clerk', 'Help')), 'Done.'], { agents: { clerk } })
      return { root: agent }
    },
    text: 'Done.',
  },
  'a handoff with an input': {
    make: () => {
      const { agent: expert } = worker('expert', ['Said the expert.'])
      const inputSchema = z.object({ priority: z.enum(['low', 'high']) })
      const handing = (args: JsonValue) => calls({ name: 'transfer-to-expert', args })
      const { agent } = worker('clerk', [handing({ priority: 'urgent' }), handing({ priority: 'high' })], {
        handoffs: { expert: { agent: expert, inputSchema } },
      })
      return { root: agent }
    },
    text: 'Said the expert.',
  },
  'a thread that stays with an agent': {
    make: () => {
      const { agent: expert } = worker('expert', ['Which one?', 'That one.'])
      const { agent: clerk } = worker('clerk', [calls({ name: 'transfer-to-expert', args: {} })], {
        memory: true,
        keepHandoff: true,
        handoffs: [expert],
      })
      const ask = (prompt: string) => calls(to('clerk', prompt, { threadId: 'thread' }))
      const { agent } = lead('boss', [ask('Help'), ask('The first'), 'Done.'], { agents: { clerk } })
      return { root: agent }
    },
    text: 'Done.',
  },
  'processors and hooks of a definition': {
    make: () => {
      const { agent } = worker('boss', ['a secret'], {
        inputProcessors: [{ id: 'polite', processInput: () => undefined }],
        outputProcessors: [{ id: 'masks', processOutput: ({ text }) => text.replace('secret', '***') }],
        onStepFinish: () => undefined,
        onFinish: () => undefined,
      })
      return { root: agent }
    },
    text: 'a ***',
  },
}

function teamOf({ root, others = [] }: Play): Team {
  return { root, others, performed: new Map(), answer: (toolCallId) => ({ type: 'approve', toolCallId }) }
}

async function bothCourses(
  name: string,
  make: () => Play,
  options: CallOptions,
): Promise<readonly [Course, Course]> {
  const here = await courseHere(teamOf(make()), 'Do it.', { options })
  const play = make()
  const namespace = name.replaceAll(/\W/g, '-')
  await desk.serve({ agents: [play.root, ...(play.others ?? [])], namespace, store: memoryStore() })
  const config = { ingress: desk.server.ingress, namespace, pollInterval: 10 }
  return [here, await courseOnRestate(teamOf(play), 'Do it.', config, { options })]
}

test.each(Object.entries(plays))('%s', async (name, { make, options = {}, text }) => {
  const [here, there] = await bothCourses(name, make, options)
  expect(there).toEqual(here)
  expect(there).toMatchObject({ outcome: 'completed', text })
})

test('a delegation in the background; who is first depends on the engine', async () => {
  const make = (): Play => {
    const { agent: helper } = worker('helper', ['Helped.'])
    const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Meanwhile.'], {
      agents: { helper },
      backgroundTasks: { helper: {} },
      otherwise: 'All done.',
    })
    return { root: agent }
  }
  const [here, there] = await bothCourses('background', make, {})
  for (const course of [here, there]) {
    expect(course).toMatchObject({ outcome: 'completed', text: 'All done.' })
    expect(course.delegations).toEqual(['boss/delegation:1.1 helper succeeded Helped.'])
    expect(course.events['boss']).toContain('background-start')
    expect(course.events['boss']).toContain('background-end')
  }
  const ofHelper = 'boss/delegation:1.1/helper'
  expect(there.events[ofHelper]).toEqual(here.events[ofHelper])
})

test('a tool in the background, of the agent or of a subagent; who is first depends on the engine', async () => {
  const make = (): Play => {
    const [ofBoss, ofHelper] = [
      { dig: tool('dig', { background: true }) },
      { look: tool('look', { background: true }) },
    ]
    const { agent: helper } = worker('helper', [call('look'), 'Helped.'], { tools: ofHelper })
    const both = calls({ name: 'dig', args: {} }, to('helper', 'Help'))
    const { agent } = lead('boss', [both, 'Meanwhile.'], {
      agents: { helper },
      tools: ofBoss,
      otherwise: 'All done.',
    })
    return { root: agent }
  }
  const [here, there] = await bothCourses('background tools', make, {})
  for (const course of [here, there]) {
    expect(course).toMatchObject({ outcome: 'completed', text: 'All done.' })
    expect(course.delegations).toEqual(['boss/delegation:1.2 helper succeeded Helped.'])
    expect(course.events['boss']?.filter((type) => type === 'background-end')).toHaveLength(2)
  }
  const ofHelper = 'boss/delegation:1.2/helper'
  expect(there.events[ofHelper]).toEqual(here.events[ofHelper])
  expect(there.events[ofHelper]).not.toContain('background-start')
})

test('every entry of every workflow names the conversation', async () => {
  const { agent: helper } = worker('helper', ['Helped.'])
  const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go', { conversationId: 'talk' })
  await run.result
  const { parts } = await troupe.journal(run.id)
  expect(parts).toHaveLength(2)
  const entries = parts.flatMap(({ turns }) => turns.flat())
  expect(entries.filter((entry) => entry.conversationId !== 'talk')).toEqual([])
})

test('an agent that no worker serves ends the run that leads to it, and says so', async () => {
  const { agent: unserved } = worker('unserved', ['Never.'])
  const agent = createSupervisor({
    id: 'boss',
    instructions: 'Lead.',
    model: scriptedModel([calls(to('one', 'Go'))]),
    agents: () => ({ one: unserved }),
  })
  const troupe = await desk.troupe(agent)
  const result = await (await troupe.start(agent, 'Go')).result
  const message = expect.stringContaining('the agent "unserved" was made by a function')
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION', message } })
})
