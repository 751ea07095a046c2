/** A question of a server waits in the journal, and its answer may come after a restart. */
import { inputRequired, inputResponse } from '@modelcontextprotocol/server'
import {
  createAgent,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type AwaitedSignal,
  type Store,
} from 'troupe'
import { answerElicitation, isElicitation, mcpTools } from 'troupe/mcp'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls } from '../support/agents/agents.ts'
import { connectionTo, office, type Office } from './support/office.ts'

/** A process: a connection of its own, and a troupe on the store. */
function processOn(store: Store, server: Office, steps: Parameters<typeof scriptedModel>[0]) {
  const connection = connectionTo(server)
  const agent: AgentDefinition = createAgent({
    id: 'clerk',
    description: 'Deploys.',
    instructions: '',
    model: scriptedModel(steps),
    tools: () => mcpTools(connection),
  })
  const troupe = createTroupe({ agents: [agent], store })
  return {
    agent,
    troupe,
    async end() {
      await troupe.close()
      await connection.close()
    },
  }
}

/** A run that waits for the first question, whose process has ended. */
async function asked(server: Office, tool = 'deploy') {
  const store = memoryStore()
  const first = processOn(store, server, [calls({ name: tool, args: { to: 'production' } })])
  const run = await first.troupe.start(first.agent, 'Go')
  const idle = await run.whenIdle
  await first.end()
  const [question] = idle.outcome === 'suspended' ? idle.awaiting : []
  if (question === undefined) throw new Error(`The run does not wait: ${idle.outcome}.`)
  return { store, runId: run.id, question }
}

const valueOf = (result: { readonly steps: readonly { readonly toolResults: readonly object[] }[] }) =>
  result.steps[0]?.toolResults[0]

test('a question suspends the call, and is answered after a restart, over a new connection', async () => {
  const server = office()
  const { store, runId, question } = await asked(server)
  expect(question).toMatchObject({ type: 'suspension', toolName: 'deploy' } satisfies Partial<AwaitedSignal>)
  expect(question.payload).toEqual({
    type: 'mcp-elicitation',
    tool: 'deploy',
    questions: {
      confirm: {
        mode: 'form',
        message: 'Deploy to production?',
        requestedSchema: expect.objectContaining({ type: 'object', required: ['window'] }),
      },
    },
    requestState: 'deploy to production',
  })
  expect(isElicitation(question.payload)).toBe(true)
  expect(server.calls).toEqual([])

  const second = processOn(store, server, ['Deployed.'])
  const run = await second.troupe.resume(runId)
  const answers = { confirm: { action: 'accept', content: { window: 'night' } } } as const
  await run.resume(question.toolCallId, answerElicitation(question.payload, answers))
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Deployed.' })
  expect(valueOf(result)).toMatchObject({ outcome: 'succeeded', value: 'deployed at night' })
  expect(server.calls).toEqual([
    {
      tool: 'deploy',
      args: { to: 'production', window: 'night', state: 'deploy to production' },
      meta: {},
    },
  ])
  await second.end()
})

test('a person may decline', async () => {
  const server = office()
  const { store, runId, question } = await asked(server)
  const second = processOn(store, server, ['Not deployed.'])
  const run = await second.troupe.resume(runId)
  const declined = answerElicitation(question.payload, { confirm: { action: 'decline' } })
  await run.resume(question.toolCallId, declined)
  expect(valueOf(await run.result)).toMatchObject({ value: 'not deployed: decline' })
  await second.end()
})

test('a server asks again and again, and each question is held', async () => {
  const server = office((mcp) => {
    mcp.registerTool(
      'book',
      { description: 'Books.', inputSchema: z.object({ to: z.string() }) },
      async (_, ctx) => {
        const soFar = ctx.mcpReq.requestState<string>() ?? ''
        const answer = inputResponse(ctx.mcpReq.inputResponses, 'next')
        const given = answer.kind === 'elicit' ? String(answer.content?.['place']) : ''
        const places = `${soFar} ${given}`.trim()
        if (places.split(' ').length === 2) return { content: [{ type: 'text', text: places }] }
        const next = inputRequired.elicit({
          message: places === '' ? 'From where?' : 'To where?',
          requestedSchema: z.object({ place: z.string() }),
        })
        return inputRequired({ inputRequests: { next }, requestState: places })
      },
    )
  })
  const { store, runId, question } = await asked(server, 'book')
  const second = processOn(store, server, ['Booked.'])
  const run = await second.troupe.resume(runId)
  const answer = async ({ toolCallId, payload }: AwaitedSignal, place: string) =>
    run.resume(toolCallId, answerElicitation(payload, { next: { action: 'accept', content: { place } } }))
  await answer(question, 'Oslo')
  const again = await run.whenIdle
  if (again.outcome !== 'suspended' || again.awaiting[0] === undefined)
    throw new Error('It does not ask again.')
  expect(again.awaiting[0].payload).toMatchObject({ questions: { next: { message: 'To where?' } } })
  await answer(again.awaiting[0], 'Rome')
  expect(valueOf(await run.result)).toMatchObject({ value: 'Oslo Rome' })
  await second.end()
})

test('a page to visit is a question too', async () => {
  const server = office((mcp) => {
    mcp.registerTool(
      'pay',
      { description: 'Pays.', inputSchema: z.object({ to: z.string() }) },
      async (_, ctx) => {
        const answer = inputResponse(ctx.mcpReq.inputResponses, 'visit')
        if (answer.kind === 'elicit') return { content: [{ type: 'text', text: answer.action }] }
        const visit = inputRequired.elicitUrl({ message: 'Confirm.', url: 'https://bank.test/confirm' })
        return inputRequired({ inputRequests: { visit } })
      },
    )
  })
  const { store, runId, question } = await asked(server, 'pay')
  expect(question.payload).toEqual({
    type: 'mcp-elicitation',
    tool: 'pay',
    questions: { visit: { mode: 'url', message: 'Confirm.', url: 'https://bank.test/confirm' } },
  })
  const second = processOn(store, server, ['Paid.'])
  const run = await second.troupe.resume(runId)
  await run.resume(question.toolCallId, answerElicitation(question.payload, { visit: { action: 'accept' } }))
  expect(valueOf(await run.result)).toMatchObject({ value: 'accept' })
  await second.end()
})

test('data that answers no question fails the call, and the server is not called', async () => {
  const server = office()
  const { store, runId, question } = await asked(server)
  const second = processOn(store, server, ['Done.'])
  const run = await second.troupe.resume(runId)
  await run.resume(question.toolCallId, { window: 'night' })
  expect(valueOf(await run.result)).toMatchObject({
    outcome: 'failed',
    error: { code: 'INVALID_CONFIGURATION', message: expect.stringContaining('inputResponses') },
  })
  expect(server.calls).toEqual([])
  await second.end()
})

test('answers are checked before they are sent', async () => {
  const { question } = await asked(office())
  const { payload } = question
  const answer = (answers: object) => () => answerElicitation(payload, answers as never)
  expect(answer({ confirm: { action: 'accept', content: { window: 'noon' } } })).toThrow(
    /answerElicitation: confirm\.content does not fit the form: window/,
  )
  expect(answer({ confirm: { action: 'accept' } })).toThrow('does not fit the form')
  expect(answer({ confirm: { action: 'agree' } })).toThrow("must be 'accept', 'decline' or 'cancel'")
  expect(answer({ confirms: { action: 'accept' } })).toThrow('did you mean "confirm"?')
  expect(answer({})).toThrow('confirm must be')
  expect(() => answerElicitation({ question: 'To which account?' }, {})).toThrow('expected the payload')
})
