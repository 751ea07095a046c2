/** A model that plays the user of a conversation. */
import { z } from 'zod'
import type { ChatModel } from '../../actors/chat-model.ts'
import { isBlank } from '../../actors/content/content.ts'
import type { PromptMessage } from '../../actors/message.ts'
import { aText, having } from '../../actors/strict/checks.ts'
import { readOptions, required, type Fields } from '../../actors/strict/read-options.ts'
import { TerminalError } from '../../errors.ts'
import { createAgent } from '../../runtime/create/create-agents.ts'
import { orThrow } from '../../runtime/handle/or-throw.ts'
import type { EvaluationConversation, UserMessageGiven } from './conversation.ts'

/** The options of `simulatedUser`. */
export interface SimulatedUserOptions {
  readonly model: ChatModel
  /** Who the user is, what it wants, what it knows, and when it has done. */
  readonly instructions: string
}

const fields: Fields<SimulatedUserOptions> = {
  model: required(having('a model with a method generate', 'generate')),
  instructions: required(aText),
}

const rules = `You play a person who talks with an assistant. Write the next message of this person, and nothing else.
Stay in the role: you are never the assistant, and you do not do its work. Write as people write in a chat, briefly.
Say what the person would say, and only what the person knows. Say "done" once the person has what it wants, or gives up.`

const reply = z.object({
  done: z.boolean().describe('Whether the person has nothing more to say.'),
  message: z.string().describe('The next message of the person; empty where it has nothing more to say.'),
})

const withoutText = '(The assistant has answered without a text.)'

/** The person speaks first, and a conversation of models begins with the other side. */
const opening: PromptMessage = { role: 'user', content: 'Hello, how can I help you?' }

/**
 * Makes the user of an evaluation case of a model: it reads the conversation from the user's side, and writes each next message
 * until it says that it has done. Its tokens are the `userUsage` of the case. A failure of its model fails the case.
 * Throws a `ConfigurationError` for a wrong option.
 */
export function simulatedUser(
  options: SimulatedUserOptions,
): (conversation: EvaluationConversation) => Promise<UserMessageGiven> {
  const { model, instructions } = readOptions<SimulatedUserOptions>(options, 'simulatedUser', fields)
  const person = createAgent({
    id: 'simulated-user',
    instructions: `${rules}\n\n${instructions}`,
    model,
    structuredOutput: { schema: reply },
  })
  return async ({ messages, signal }) => {
    const prompt = [opening, ...messages.flatMap(fromOtherSide)]
    const result = orThrow(await person.generate(prompt, { signal }))
    if (result.outcome !== 'completed')
      throw new TerminalError(`The model of the user wrote no message: its run ended as ${result.outcome}.`, {
        code: 'EVALUATION_USER_FAILED',
      })
    const { object, usage } = result
    return { text: object.done ? undefined : object.message, usage }
  }
}

function fromOtherSide({
  role,
  content,
}: EvaluationConversation['messages'][number]): readonly PromptMessage[] {
  if (role === 'user') return [{ role: 'assistant', content }]
  return role === 'assistant' ? [{ role: 'user', content: isBlank(content) ? withoutText : content }] : []
}
