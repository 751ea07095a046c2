/** The research desk: a lead, who delegates to a researcher and a writer and whose answer is scored. */
import { createAgent, createScorer, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'
import { read, search } from './library.ts'

export function createResearchDesk(model: ChatModel) {
  const researcher = createAgent({
    id: 'researcher',
    description: 'Looks a question up in the library and returns notes.',
    instructions:
      'You are a researcher. Search the library, read what you find, and answer with short notes.',
    model,
    tools: { search: searchTool, read: readTool },
  })

  const writer = createAgent({
    id: 'writer',
    description: 'Turns notes into a short article, or revises one.',
    instructions:
      'You are a writer. Write clear, short articles from the notes that you are given, and from nothing else.',
    model,
  })

  return createSupervisor({
    id: 'lead',
    instructions:
      'You lead a research desk. Have several questions researched at once, then have the article written from ' +
      'the notes. Your answer is the article alone.',
    model,
    agents: { researcher, writer },
    maxSteps: 8,

    delegation: {
      // May the delegation go ahead, and with which prompt?
      onDelegationStart: ({ agentName, prompt, messages }) => {
        const hasNotes = messages.some(
          (message) => message.role === 'tool' && message.toolName === 'agent-researcher',
        )
        if (agentName === 'writer' && !hasNotes) {
          return {
            proceed: false,
            rejectionReason: 'There are no notes yet. Ask the writer when the research is in.',
          }
        }
        if (agentName === 'researcher' && !/source/i.test(prompt)) {
          return { modifiedPrompt: `${prompt} Name the source of every statement.` }
        }
        return {}
      },
    },

    // An answer that does not pass goes back to the lead, with the reasons.
    completion: { scorers: [citesSources, longEnough] },
  })
}

const searchTool = createTool({
  id: 'search',
  description: 'Searches the library. Answers with the ids and titles of the best sources.',
  inputSchema: z.object({ query: z.string() }),
  execute: ({ query }, { signal }) => search(query, signal),
})

const readTool = createTool({
  id: 'read',
  description: 'Reads one source of the library.',
  inputSchema: z.object({ id: z.number() }),
  execute: ({ id }, { signal }) => read(id, signal),
})

const citesSources = createScorer({
  id: 'cites-sources',
  score: ({ output }) => {
    const cited = new Set(output.match(/\[\d+\]/g)).size
    return {
      score: Math.min(1, cited / 3),
      reason: `It cites ${cited} sources like [1]; at least 3 are expected`,
    }
  },
})

const longEnough = createScorer({
  id: 'long-enough',
  score: ({ output }) => {
    const words = output.split(/\s+/).length
    return { score: Math.min(1, words / 100), reason: `It has ${words} words; at least 100 are expected` }
  },
})
