/** A harbour master who knows two skills by name, and loads the one that a task needs. */
import { createAgent, type ChatModel } from 'troupe'
import { readSkills } from 'troupe/skills'

const skills = await readSkills(`${import.meta.dirname}/skills`)

export function createHarbourMaster(model: ChatModel) {
  return createAgent({
    id: 'harbour-master',
    instructions: `You advise ships.\n\n${skills.instructions}`,
    model,
    tools: { ...skills.tools },
  })
}
