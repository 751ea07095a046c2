/** Restarts on SQLite: a task is the same as before, from its run alone, and goes on where it was. */
import { TaskState, type Task } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import fc from 'fast-check'
import { createTool, textOf, type AgentDefinition, type SupervisorOptions } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import type { ScriptedReply } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { clientOf, data, send, serve, streamed, text, type Served } from './served.ts'

const steps = ['look', 'look twice', 'ask', 'pay', 'delegate'] as const
const ends = ['text', 'file', 'failure'] as const
/** How a person answers; `leave`: not at all. */
const answers = ['yes', 'data', 'elsewhere', 'say', 'leave', 'cancel', 'force'] as const

const plan = fc.record({
  steps: fc.array(fc.constantFrom(...steps), { maxLength: 4 }),
  end: fc.constantFrom(...ends),
  answers: fc.array(fc.constantFrom(...answers), { maxLength: 4 }),
})

const picture = { type: 'file', mediaType: 'image/png', data: 'cG5n', name: 'sky.png' } as const

function reply(step: string): ScriptedReply {
  switch (step) {
    case 'look':
      return calls({ name: 'look', args: {} })
    case 'look twice':
      return calls({ name: 'look', args: {} }, { name: 'look', args: {} })
    case 'ask':
      return calls({ name: 'ask', args: {} })
    case 'pay':
      return calls({ name: 'pay', args: {} })
    case 'delegate':
      return calls(to('helper', 'Help.'))
    case 'file':
      return { text: 'Look.', files: [picture] }
    case 'failure':
      return { error: new Error('The model is out of order.') }
    default:
      return { text: 'Done.' }
  }
}

/** It takes the steps that the prompt names. */
function clerk(): AgentDefinition<SupervisorOptions> {
  const inputSchema = z.object({})
  const look = createTool({ id: 'look', description: 'Looks.', inputSchema, execute: () => 'There.' })
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema,
    requireApproval: true,
    execute: () => 'Paid.',
  })
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema,
    execute: (_, { resumeData, suspend }) => resumeData ?? suspend('Which?'),
  })
  return lead('clerk', [], {
    tools: { look, pay, ask },
    agents: { helper: worker('helper', [], { otherwise: 'Helped.' }).agent },
    otherwise: ({ messages }) => {
      const asked = messages.find(({ role }) => role === 'user')
      const taken = messages.filter(({ role }) => role === 'assistant').length
      return reply(textOf(asked?.content ?? '').split(', ')[taken] ?? 'text')
    },
  }).agent
}

const got = ({ id }: Pick<Task, 'id'>) => ({ id, tenant: '' })
const state = ({ status }: Task) => TaskState[status?.state ?? 0]?.replace('TASK_STATE_', '')

/** One answer to a task that waits. */
async function give({ troupe }: Served, client: Client, task: Task, answer: string): Promise<void> {
  const [question] = (await troupe.awaiting({ runId: task.id })).items
  if (question === undefined) throw new Error('The task waits for nothing.')
  const { toolCallId, type } = question
  switch (answer) {
    case 'yes':
      return void (await send(client, [text('yes')], task))
    case 'data':
      return void (await send(
        client,
        [data({ toolCallId, approve: false, data: { nr: 1 }, note: 'So.' })],
        task,
      ))
    case 'elsewhere':
      return troupe.signal(
        task.id,
        type === 'approval' ? { type: 'approve', toolCallId } : { type: 'resume', toolCallId, data: 'This.' },
      )
    case 'say':
      return troupe.signal(task.id, { type: 'say', message: 'And hurry.', id: 'said' })
    case 'cancel':
      return void (await client.cancelTask({ ...got(task), metadata: undefined }))
    case 'force':
      return troupe.cancel(task.id, 'It is late.', { force: true })
  }
}

const rests = async ({ troupe }: Served, { id }: Task) => {
  const [run] = (await troupe.runs({ runId: id })).items
  return run?.status !== 'running'
}

/** A server on the file. */
function opened(file: string): AsyncDisposable & { readonly served: Served } {
  const store = sqliteStore(file)
  const served = serve(clerk(), { store, onError: () => undefined })
  return {
    served,
    async [Symbol.asyncDispose]() {
      await served.troupe.close()
      await store.close()
    },
  }
}

const lists = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageSize: undefined,
  pageToken: '',
  historyLength: undefined,
  statusTimestampAfter: undefined,
  includeArtifacts: true,
}

test('each task is the same after a restart, and those that wait go on', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 3 }), async (plans) => {
      using folder = temporaryFolder()
      const file = folder.file('runs.db')
      await using first = opened(file)
      const client = await clientOf(first.served)
      const ids: string[] = []
      for (const one of plans) {
        let task = await send(client, [text([...one.steps, one.end].join(', '))])
        ids.push(task.id)
        for (const answer of one.answers) {
          if (answer === 'leave' || state(task) !== 'INPUT_REQUIRED') break
          await give(first.served, client, task, answer)
          await expect.poll(() => rests(first.served, task)).toBe(true)
          task = await client.getTask(got(task))
        }
      }
      const before = await Promise.all(ids.map((id) => client.getTask(got({ id }))))
      const listed = await client.listTasks(lists)
      expect(new Set(listed.tasks.map(({ id }) => id))).toEqual(new Set(ids))
      for (const task of before) seen.add(`${state(task)}`)
      await first[Symbol.asyncDispose]()

      await using second = opened(file)
      const later = await clientOf(second.served)
      expect(await Promise.all(ids.map((id) => later.getTask(got({ id }))))).toEqual(before)
      expect(await later.listTasks(lists)).toEqual(listed)
      for (let task of before) {
        const isWaiting = state(task) === 'INPUT_REQUIRED'
        const read = isWaiting ? streamed(later.resubscribeTask(got(task))) : undefined
        while (state(task) === 'INPUT_REQUIRED') task = await send(later, [text('yes')], task)
        expect(await later.getTask(got(task))).toEqual(task)
        if (read === undefined) continue
        const last = (await read).at(-1)
        expect(last?.$case === 'statusUpdate' ? last.value.status : undefined).toEqual(task.status)
      }
    }),
    {
      numRuns: 15,
      examples: [
        [
          [
            { steps: ['pay'], end: 'text', answers: ['force'] },
            { steps: ['ask'], end: 'file', answers: ['data'] },
            { steps: ['pay', 'delegate'], end: 'failure', answers: ['elsewhere'] },
          ],
        ],
        [[{ steps: ['ask', 'pay'], end: 'text', answers: ['say', 'yes', 'leave'] }]],
      ],
    },
  )
  expect([...seen].toSorted()).toEqual(['CANCELED', 'COMPLETED', 'FAILED', 'INPUT_REQUIRED'])
})
