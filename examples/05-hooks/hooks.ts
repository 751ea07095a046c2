/**
 * The hooks of a supervisor: plain functions, called where the statechart waits for them. What they return decides
 * how it goes on. Each tells here what it was shown and what it made of it.
 */
import { textOf } from 'troupe'
import type { StopCondition, SupervisorOptions } from 'troupe'

export type Tell = (hook: string, what: string) => void

const budget = 20

export function createHooks(tell: Tell) {
  return {
    delegation: {
      // Before a subagent runs: reject it, change what it is asked, or let it go ahead.
      onDelegationStart({ agentName, prompt, messages }) {
        const wasProposed = messages.some(
          (message) => message.role === 'tool' && message.toolName === 'agent-chef',
        )
        if (agentName === 'buyer' && !wasProposed) {
          tell('onDelegationStart', 'buyer: rejected, there is no menu yet')
          return { proceed: false, rejectionReason: 'There is no menu yet.' }
        }
        if (agentName === 'chef' && !prompt.includes('vegan')) {
          tell('onDelegationStart', 'chef: modified, the prompt gets "Two guests are vegan."')
          return { modifiedPrompt: `${prompt} Two guests are vegan.` }
        }
        tell('onDelegationStart', `${agentName}: accepted as it is`)
        return {}
      },

      // What the subagent is shown of the conversation, before its prompt.
      messageFilter({ agentName, messages }) {
        const shown = messages.filter(({ content }) => !textOf(content).startsWith('PRIVATE'))
        const kept = messages.length - shown.length
        tell(
          'messageFilter',
          `${agentName}: is shown ${shown.length} of ${messages.length} messages, ${kept} is private`,
        )
        return shown
      },

      // After it has run: feedback is in the supervisor's very next prompt.
      onDelegationComplete({ agentName, outcome, text }) {
        tell('onDelegationComplete', `${agentName}: ${outcome}, "${text}"`)
        if (agentName !== 'chef' || priceOf(text) <= budget) return {}
        const feedback = `That is too much: at most ${budget} euros a head.`
        tell('', `feedback to the planner: "${feedback}"`)
        return { feedback }
      },
    },

    // After each iteration: with feedback the planner goes on, also after an answer.
    onIterationComplete({ iteration, currentStep: { text, toolCalls } }) {
      if (toolCalls.length > 0 || /total/i.test(text)) {
        tell('onIterationComplete', `iteration ${iteration}: no objection`)
        return { continue: true }
      }
      const feedback = 'Say what it costs in total.'
      tell('onIterationComplete', `iteration ${iteration}: feedback to the planner: "${feedback}"`)
      return { continue: true, feedback }
    },

    // These two only look on.
    onStepFinish({ step, text, toolCalls }) {
      const does =
        toolCalls.length > 0 ? `calls ${toolCalls.map(({ name }) => name).join(' and ')}` : `"${text}"`
      tell('onStepFinish', `step ${step}: ${does}`)
    },
    onFinish({ outcome, steps }) {
      tell('onFinish', `${outcome} after ${steps.length} steps`)
    },
  } satisfies SupervisorOptions
}

/** For `stopWhen`: an affordable menu is there. */
export const hasMenu: StopCondition = ({ steps }) =>
  steps
    .flatMap(({ toolResults }) => toolResults)
    .some(({ name, value }) => name === 'agent-chef' && typeof value === 'string' && priceOf(value) <= budget)

function priceOf(text: string): number {
  return Number(/(\d+) euros/.exec(text)?.[1] ?? Infinity)
}
