/** The requests of the cases, and how a case asks them. */
import type {
  ChatModel,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ToolDescription,
} from '../../actors/chat-model.ts'
import { deepFreeze } from '../../actors/values/frozen.ts'
import { isRecord } from '../../actors/values/json.ts'
import { askUser, type Expected } from '../../runtime/user-function.ts'
import type { ContractCase, ContractReply, ModelFeature, ModelSubject, OpenModel } from './subject.ts'

export const look: ToolDescription = {
  name: 'look',
  description: 'Looks a topic up.',
  parameters: {
    type: 'object',
    properties: { topic: { type: 'string' } },
    required: ['topic'],
    additionalProperties: false,
  },
}

/** A question to an agent that has one tool. */
export const question: ModelRequest = {
  messages: [
    { role: 'system', content: 'You explain the sea.' },
    { role: 'user', content: 'Why are there tides?' },
  ],
  tools: [look],
  toolChoice: 'auto',
}

export interface Asked {
  readonly reply: ModelReply
  readonly deltas: readonly ModelDelta[]
}

/** Asks the model once. A request is frozen: a model must not change it. */
export async function ask(model: ChatModel, request: ModelRequest, isStreaming: boolean): Promise<Asked> {
  const deltas: ModelDelta[] = []
  const reply = await model.generate(deepFreeze(request), {
    signal: new AbortController().signal,
    idempotencyKey: 'contract/1',
    ...(isStreaming ? { onDelta: (delta: ModelDelta) => void deltas.push(delta) } : {}),
  })
  return { reply, deltas }
}

/** A case before it is given its model. */
export interface Plan {
  readonly name: string
  /** Parts of the contract that the case needs. */
  readonly needs?: readonly ModelFeature[]
  readonly replies: readonly ContractReply[]
  readonly check: (model: ChatModel, opened: OpenModel) => Promise<void>
}

/** A plan that holds for replies that are streamed, and for those that are not. */
export function eitherWay(
  plan: Omit<Plan, 'check'> & {
    readonly check: (model: ChatModel, isStreaming: boolean, opened: OpenModel) => Promise<void>
  },
): readonly Plan[] {
  return [false, true].map((isStreaming) => ({
    ...plan,
    name: `${plan.name}${isStreaming ? ' (streamed)' : ''}`,
    check: (model, opened) => plan.check(model, isStreaming, opened),
  }))
}

const openModel: Expected<OpenModel> = {
  words: 'an object with a model',
  fits: (answer): answer is OpenModel => isRecord(answer) && isRecord(answer['model']),
}

export function caseOf({ name, replies, check }: Plan, subject: ModelSubject): ContractCase {
  return {
    name,
    async run() {
      const opened = await askUser('open of modelContract', () => subject.open(replies), openModel)
      try {
        await check(opened.model, opened)
      } finally {
        await opened.close?.()
      }
    },
  }
}
