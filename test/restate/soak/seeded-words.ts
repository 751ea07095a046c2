/** What the models of a seeded team say: by the seed and by what is asked of them, and never by when. */
import type { JsonValue, ModelReply, ModelRequest } from 'troupe'

export type Said = (request: ModelRequest, key: string) => ModelReply

/** A number below `sides`, by the seed and the key. */
export type Roll = (key: string, sides: number) => number

const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }
const chosen = ['first', 'second', 'middle']

export interface Talk {
  /** How many of three replies are calls. */
  readonly more: number
  /** Replies that are calls in any case, and those after which there are no more. */
  readonly least?: number
  readonly most?: number
  /** A tool that is called every other time. */
  readonly often?: string
}

/** `isSingle`: no reply makes more than one call. */
export function wordsOf(roll: Roll, isSingle: boolean) {
  /** A loop: some calls, and then words. */
  const talks =
    ({ more, least = 0, most = Number.POSITIVE_INFINITY, often = '' }: Talk): Said =>
    (request, key) => {
      const name = request.responseFormat?.name
      if (name === 'critique')
        return json({ satisfied: roll(key, 2) === 0, critique: `better ${roll(key, 9)}` })
      const names = request.tools.map((tool) => tool.name)
      const made = callsIn(request)
      const isDone = made >= most || (made >= least && roll(`${key} calls`, 3) >= more)
      if (names.length === 0 || request.toolChoice === 'none' || isDone) {
        return text(`answer ${roll(key, 1_000)}`)
      }
      return {
        ...text(''),
        finishReason: 'tool-calls',
        toolCalls: Array.from({ length: isSingle ? 1 : 1 + roll(`${key} many`, 3) }, (_, index) => {
          const isOften = names.includes(often) && roll(`${key} often ${index}`, 2) === 0
          const called = isOften ? often : (names[roll(`${key} call ${index}`, names.length)] as string)
          return { id: '', name: called, args: argsOf(called, index) }
        }),
      }
    }

  const route: Said = (request, key) => {
    const format = request.responseFormat?.name
    if (format === undefined) return talks({ more: 0 })(request, key)
    const isTool = roll(`${key} tool`, 3) === 0
    const isDone = roll(`${key} done`, 3) === 0
    return json({
      primitiveType: isDone ? 'none' : isTool ? 'tool' : 'agent',
      primitiveId: isDone ? 'none' : isTool ? 'plain' : chosen[roll(`${key} who`, 3)],
      prompt: isDone ? `done ${roll(key, 99)}` : isTool ? '{"q":"1"}' : `do ${key.length}`,
      selectionReason: 'It fits.',
    })
  }

  const plan: Said = (request, key) => {
    const format = request.responseFormat?.name
    if (format === undefined) return text(`summary ${roll(key, 99)}`)
    if (format === 'plan') {
      const steps = Array.from({ length: 1 + roll(key, 3) }, (_, index) => ({
        id: `s${index}`,
        goal: `goal ${index}`,
        ...(roll(`${key} ${index}`, 2) === 0
          ? { toolHint: 'plain', args: { q: `${index}` } }
          : { toolHint: `agent-${chosen[roll(`${key} ${index} who`, 3)]}` }),
        dependsOn: index === 0 ? [] : [`s${index - 1}`],
      }))
      return json({ goal: 'it', steps })
    }
    return json({ answer: `step ${roll(key, 99)}` })
  }

  const divide: Said = (request, key) => {
    const goals = Array.from({ length: 1 + roll(`${key} goals`, 3) }, (_, index) => ({
      goal: `goal ${index}`,
      agent: chosen[roll(`${key} goal ${index}`, 3)],
    }))
    switch (request.responseFormat?.name) {
      case 'goals':
        return json({ goals })
      case 'assessment':
        return json(roll(key, 3) === 0 ? { complete: false, goals } : { complete: true, goals: null })
      default:
        return text(`synthesis ${roll(key, 99)}`)
    }
  }

  const select: Said = (request, key) =>
    request.responseFormat?.name === 'task_type'
      ? json({ taskType: ['general', 'research'][roll(key, 2)], rationale: 'so' })
      : json({ pattern: ['react', 'plan-then-execute'][roll(key, 2)], rationale: 'so' })

  return { talks, route, plan, divide, select }
}

function callsIn({ messages }: ModelRequest): number {
  return messages.filter((message) => message.role === 'assistant' && message.toolCalls !== undefined).length
}

function argsOf(called: string, index: number): JsonValue {
  if (called.startsWith('agent-')) return { prompt: `do ${index}` }
  return called.startsWith('transfer-to-') ? { reason: `for ${index}` } : { q: `${index}` }
}

function text(said: string): ModelReply {
  return { text: said, toolCalls: [], finishReason: 'stop', usage }
}

function json(value: object): ModelReply {
  return text(JSON.stringify(value))
}
