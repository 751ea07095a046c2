/** The arguments of an agent's calls, as the real `ai` package streams them. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { readUIMessageStream, streamText, toUIMessageStream, type ToolChoice, type ToolSet } from 'ai'
import {
  createAgent,
  createRouter,
  createSupervisor,
  createTool,
  RetryableError,
  type ChatModel,
  type ModelReply,
} from 'troupe'
import { toLanguageModel } from 'troupe/ai-sdk'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, to, worker } from '../../support/agents/agents.ts'

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({ at: z.string() }),
  execute: ({ at }) => `saw ${at}`,
})
const asks = calls({ name: 'look', args: { at: 'the wide sea' } }, { name: 'look', args: { at: 'land' } })
const prompt = 'What is there?'

type Input = Extract<LanguageModelV4StreamPart, { readonly type: `tool-input-${string}` | 'tool-call' }>

/** The parts of the stream about the calls, in their order. */
async function inputsOf(agent: Parameters<typeof toLanguageModel>[0]): Promise<Input[]> {
  const { stream } = await toLanguageModel(agent).doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
  })
  const parts: Input[] = []
  for await (const part of stream) {
    if (isInput(part)) parts.push(part)
  }
  return parts
}

function isInput(part: LanguageModelV4StreamPart): part is Input {
  return part.type === 'tool-call' || part.type.startsWith('tool-input-')
}

function short(part: Input): readonly [type: string, id: string] {
  return [part.type, part.type === 'tool-call' ? part.toolCallId : part.id]
}

/** Without the repetitions of deltas. */
function order(parts: readonly Input[]): readonly (readonly [string, string])[] {
  const all = parts.map(short)
  return all.filter(([type, id], index) => type !== all[index - 1]?.[0] || id !== all[index - 1]?.[1])
}

function whole(type: 'call' | 'delegation', position: string): readonly (readonly [string, string])[] {
  const id = `${type === 'call' ? 'solo' : 'lead'}/${type}:${position}`
  return [
    ['tool-input-start', id],
    ['tool-input-delta', id],
  ]
}

test('streamText has them before their call, under its id, as those of the provider', async () => {
  const { agent } = worker('solo', [asks, 'Seen.'], { tools: { look } })
  const result = streamText({ model: toLanguageModel(agent), prompt })
  const texts = new Map<string, string>()
  const called = new Map<string, unknown>()
  for await (const part of result.stream) {
    if (part.type === 'tool-input-start') {
      expect(part).toMatchObject({ toolName: 'look', providerExecuted: true, dynamic: true })
      texts.set(part.id, '')
    }
    if (part.type === 'tool-input-delta') {
      expect(called.has(part.id)).toBe(false)
      texts.set(part.id, `${texts.get(part.id)}${part.delta}`)
    }
    if (part.type === 'tool-call') called.set(part.toolCallId, part.input)
  }
  const told = [...texts].map(([id, text]): [string, unknown] => [id, JSON.parse(text)])
  expect(told).toEqual([...called])
  expect(told).toEqual([
    ['solo/call:1.1', { at: 'the wide sea' }],
    ['solo/call:1.2', { at: 'land' }],
  ])
  expect(await result.text).toBe('Seen.')
})

test('a chat shows them grow, and then the call with its result', async () => {
  const { agent } = worker('solo', [calls({ name: 'look', args: { at: 'the wide sea' } }), 'Seen.'], {
    tools: { look },
  })
  const { stream } = streamText({ model: toLanguageModel(agent), prompt })
  const states: string[] = []
  const inputs: unknown[] = []
  for await (const { parts } of readUIMessageStream({ stream: toUIMessageStream({ stream }) })) {
    for (const part of parts) {
      if (part.type !== 'dynamic-tool') continue
      if (states.at(-1) !== part.state) states.push(part.state)
      if (part.state === 'input-streaming') inputs.push(part.input)
    }
  }
  expect(states).toEqual(['input-streaming', 'input-available', 'output-available'])
  expect(inputs.at(-1)).toEqual({ at: 'the wide sea' })
})

test('each input ends before its call; the input of a delegation has its id', async () => {
  const { agent: solo } = worker('solo', [asks, 'Seen.'], { tools: { look } })
  expect(order(await inputsOf(solo))).toEqual([
    ...whole('call', '1.1'),
    ...whole('call', '1.2'),
    ['tool-input-end', 'solo/call:1.1'],
    ['tool-call', 'solo/call:1.1'],
    ['tool-input-end', 'solo/call:1.2'],
    ['tool-call', 'solo/call:1.2'],
  ])
  const helper = worker('helper', [calls({ name: 'look', args: { at: 'land' } }), 'Help.'], {
    tools: { look },
  })
  const model = scriptedModel([calls(to('helper', 'Help me out')), 'Done.'])
  const lead = createSupervisor({ id: 'lead', model, agents: { helper: helper.agent } })
  expect(order(await inputsOf(lead))).toEqual([
    ...whole('delegation', '1.1'),
    ['tool-input-end', 'lead/delegation:1.1'],
    ['tool-call', 'lead/delegation:1.1'],
  ])
})

describe('an input without a call', () => {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const reply = (more: Partial<ModelReply>): ModelReply => ({
    text: '',
    toolCalls: [],
    finishReason: 'stop',
    usage,
    ...more,
  })

  /** Its first call streams the beginning of two calls, and is cut. */
  function cutModel(then: ModelReply): ChatModel {
    let count = 0
    return {
      provider: 'fake',
      modelId: 'cut',
      generate: (_, { onDelta }) => {
        count++
        if (count === 3) return Promise.resolve(reply({ text: 'Seen.' }))
        const id = `c${count}`
        onDelta?.({ type: 'tool-args', index: 0, id, name: 'look', text: '{"at":' })
        if (count === 1) onDelta?.({ type: 'tool-args', index: 1, id: 'other', name: 'look', text: '{' })
        else onDelta?.({ type: 'tool-args', index: 0, id, name: 'look', text: '"land"}' })
        if (count === 1) return Promise.reject(new RetryableError('Cut.', { retryAfterMs: 0 }))
        return Promise.resolve(then)
      },
    }
  }

  const agentOn = (then: ModelReply) =>
    createAgent({ id: 'solo', instructions: '', model: cutModel(then), tools: { look } })

  test('ends, and begins again with the model call that is made again', async () => {
    const made = reply({
      toolCalls: [{ id: 'c2', name: 'look', args: { at: 'land' } }],
      finishReason: 'tool-calls',
    })
    const parts = await inputsOf(agentOn(made))
    expect(order(parts)).toEqual([
      ...whole('call', '1.1'),
      ...whole('call', '1.2'),
      ['tool-input-end', 'solo/call:1.1'],
      ['tool-input-end', 'solo/call:1.2'],
      ...whole('call', '1.1'),
      ['tool-input-end', 'solo/call:1.1'],
      ['tool-call', 'solo/call:1.1'],
    ])
    const again = parts.findLastIndex(({ type }) => type === 'tool-input-start')
    const deltas = parts.slice(again).map((part) => (part.type === 'tool-input-delta' ? part.delta : ''))
    expect(deltas.join('')).toBe('{"at":"land"}')
  })

  test('ends with its step', async () => {
    const types = order(await inputsOf(agentOn(reply({ text: 'Never mind.' }))))
    expect(types.filter(([type]) => type === 'tool-call')).toEqual([])
    expect(types.at(-1)).toEqual(['tool-input-end', 'solo/call:1.1'])
  })

  test('of a handoff is none of the stream', async () => {
    const heir = worker('heir', ['Mine now.'])
    const model = scriptedModel([calls({ name: 'transfer-to-heir', args: {} })])
    const agent = createAgent({ id: 'solo', instructions: '', model, handoffs: { heir: heir.agent } })
    expect(await inputsOf(agent)).toEqual([])
  })
})

describe('the toolChoice of streamText', () => {
  async function chosen(toolChoice: ToolChoice<ToolSet>, steps: readonly ScriptedStep[], tools?: ToolSet) {
    const { agent, model } = worker('solo', steps, { tools: { look } })
    const errors: unknown[] = []
    const result = streamText({
      model: toLanguageModel(agent),
      prompt,
      toolChoice,
      onError: ({ error }) => void errors.push(error),
      ...(tools === undefined ? {} : { tools }),
    })
    await result.consumeStream()
    const requested = model.calls.map(({ request }) => request.toolChoice)
    return { requested, errors, result }
  }
  const one = calls({ name: 'look', args: { at: 'land' } })
  const ofCaller = { show: { description: 'Shows.', inputSchema: z.object({}) } }

  test.each<[string, ToolChoice<ToolSet>, unknown]>([
    ['required', 'required', 'required'],
    ['a tool', { type: 'tool', toolName: 'look' }, { tool: 'look' }],
  ])('is that of the run: %s', async (_, toolChoice, asked) => {
    for (const tools of [undefined, ofCaller]) {
      const { requested, errors, result } = await chosen(toolChoice, [one, 'Seen.'], tools)
      expect(requested).toEqual([asked, 'auto'])
      expect(errors).toEqual([])
      expect(await result.finishReason).toBe('stop')
    }
  })

  test('may be none', async () => {
    const { requested, errors, result } = await chosen('none', ['Guessed.'])
    expect(requested).toEqual(['none'])
    expect([errors, await result.warnings]).toEqual([[], []])
  })

  test('a model that calls nothing is asked again', async () => {
    const { requested, errors } = await chosen('required', ['Hm.', one, 'Seen.'])
    expect(requested).toEqual(['required', 'required', 'auto'])
    expect(errors).toEqual([])
  })

  test('of a tool that only the caller has is warned of', async () => {
    const { requested, result } = await chosen({ type: 'tool', toolName: 'show' }, ['Hm.'], ofCaller)
    expect(requested).toEqual(['auto'])
    const features = (await result.warnings)?.map((warning) => ('feature' in warning ? warning.feature : ''))
    expect(features).toEqual(['tools', 'toolChoice'])
  })

  test('of a tool that no one has is an error', async () => {
    const { errors } = await chosen({ type: 'tool', toolName: 'show' }, [])
    expect(errors).toMatchObject([{ message: expect.stringContaining('requires the tool "show"') }])
  })

  test('is warned of where the agent has no such option', async () => {
    const { agent: only } = worker('only', ['Hm.'])
    const done = { primitiveId: 'none', primitiveType: 'none', prompt: '', selectionReason: 'Done.' }
    const model = scriptedModel([JSON.stringify(done)])
    const router = createRouter({ id: 'router', model, agents: { only }, memory: true })
    const { warnings } = await toLanguageModel(router).doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      toolChoice: { type: 'none' },
    })
    expect(warnings).toMatchObject([{ type: 'unsupported', feature: 'toolChoice' }])
  })
})
