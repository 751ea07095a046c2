/**
 * Guardrails of a support desk. They stand between the conversation and the model: what they change, the model or the
 * reader never sees otherwise; what they refuse ends there.
 */
import { textOf } from 'troupe'
import type { InputProcessor, OutputProcessor } from 'troupe'

export type Tell = (processor: string, what: string) => void

/** Before the model is called: card numbers are masked, and what is not for this desk is turned away. */
export function inputProcessors(tell: Tell): InputProcessor[] {
  return [
    {
      id: 'card-numbers',
      processInput({ messages }) {
        const masked = messages.map((message) => ({
          ...message,
          content: textOf(message.content).replaceAll(/\b\d{4}(?: \d{4}){3}\b/g, '[card]'),
        }))
        const changed = masked.filter(({ content }, index) => content !== messages[index]?.content)
        if (changed.length > 0) tell('card-numbers', `the model is told: ${changed.at(-1)?.content}`)
        return masked
      },
    },
    {
      id: 'topic',
      processInput({ task, abort }) {
        if (!/invest|shares/i.test(task)) return
        tell('topic', 'refused')
        abort('We give no advice on investments.')
      },
    },
  ]
}

/** At each reply of the model: the first looks at it while it comes, the second when it is there. */
export function outputProcessors(tell: Tell): OutputProcessor[] {
  return [
    {
      id: 'promises',
      // The call of the model ends with the word that it must not say.
      processOutputStream({ text, abort }) {
        if (!/guarantee/i.test(text)) return
        tell('promises', `stopped at: ${text.trimEnd()}`)
        abort('Promise nothing: do not say "guarantee".', { retry: true })
      },
    },
    {
      id: 'addresses',
      // It looks at whole replies alone: nothing is shown before it has seen them.
      processOutput: ({ text }) => text.replaceAll(/[\w.]+@[\w-]+(?:\.[\w-]+)+/g, '[address]'),
    },
  ]
}
