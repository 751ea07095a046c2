/** A risk assessment: four investigators side by side, one of which cannot do its work, and what is made of the rest. */
import { z } from 'zod'
import {
  createAgent,
  createFanOut,
  createTool,
  TerminalError,
  type AgentDefinition,
  type ChatModel,
  type ModelReply,
} from 'troupe'

/** What an agent is about to do, told by the worker that does it. */
export interface Sighting {
  readonly agent: string
  readonly step: string
}

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
const fields = ['finance', 'law', 'technology', 'reputation'] as const

export function riskAssessment(pace: number, onSight: (sighting: Sighting) => void): AgentDefinition {
  const work = async (agent: string, step: string): Promise<void> => {
    onSight({ agent, step })
    await new Promise((resolve) => setTimeout(resolve, pace))
  }
  const says = (text: string): ModelReply => ({ text, toolCalls: [], finishReason: 'stop', usage })
  const investigator = (field: string): AgentDefinition => {
    const search = createTool({
      id: `search-${field}`,
      description: `Looks into ${field}.`,
      inputSchema: z.object({ company: z.string() }),
      async execute({ company }) {
        await work(field, 'search')
        if (field === 'law') throw new TerminalError('The register of courts is closed.')
        return `${company}: nothing worrying in ${field}.`
      },
    })
    const model: ChatModel = {
      provider: 'example',
      modelId: field,
      async generate({ messages }) {
        await work(field, 'think')
        const told = messages.findLast(({ role }) => role === 'tool')
        if (told === undefined) {
          const call = { id: '', name: 'search', args: { company: 'Company X' } }
          return { text: '', toolCalls: [call], finishReason: 'tool-calls', usage }
        }
        if (field === 'law') throw new TerminalError('There is nothing to go by.')
        return says(`${field}: low risk.`)
      },
    }
    return createAgent({
      id: field,
      description: `Investigates ${field}.`,
      instructions: `You investigate the ${field} of a company.`,
      model,
      tools: { search },
    })
  }
  const model: ChatModel = {
    provider: 'example',
    modelId: 'assessor',
    async generate({ messages, responseFormat }) {
      await work('assessor', responseFormat?.name ?? 'synthesis')
      if (responseFormat?.name === 'goals') {
        return says(
          JSON.stringify({ goals: fields.map((agent) => ({ goal: `Assess the ${agent}.`, agent })) }),
        )
      }
      if (responseFormat?.name === 'assessment') return says('{"complete": true, "goals": null}')
      const text = messages.map(({ content }) => content).join('\n')
      const low = fields.filter((field) => text.includes(`${field}: low risk.`))
      const missing = fields.filter((field) => !low.includes(field))
      return says(`Low risk in ${low.join(', ')}. Not assessed: ${missing.join(', ')}.`)
    },
  }
  return createFanOut({
    id: 'assessor',
    instructions: 'You assess the risk of a partner.',
    model,
    agents: Object.fromEntries(fields.map((field) => [field, investigator(field)])),
  })
}
