/** A bakery: a supervisor with a subagent, and a machine beside it. */
import { createAgent, createSupervisor, createWorkflow, type ChatModel } from 'troupe'
import { z } from 'zod'
import { baking, createOven } from './baking.ts'

interface Options {
  /** Does the oven get hot? */
  readonly heats: boolean
  /** Milliseconds. */
  readonly timeout?: number
  readonly say: (what: string) => void
}

export function createBakery(model: ChatModel, { heats, timeout, say }: Options) {
  const recipes = createAgent({
    id: 'recipes',
    description: 'Knows for how many minutes a bread is baked.',
    instructions: 'You know recipes. Answer with the number of minutes alone.',
    model,
  })

  // To the model it is a tool. Each call runs the machine in an actor system of its own, from its input to its output.
  const bake = createWorkflow({
    id: 'bake',
    description: 'Bakes one loaf.',
    inputSchema: z.object({ bread: z.string(), minutes: z.number().positive() }),
    logic: baking.provide({ actors: { oven: createOven({ heats, say }) } }),
    // When it is over, or the run is cancelled, the machine is stopped, and with it whatever it has started.
    timeout,
  })

  return createSupervisor({
    id: 'bakery',
    instructions: 'You run a bakery. Ask for the recipe, bake the bread, and tell the customer.',
    model,
    agents: { recipes },
    workflows: { bake },
  })
}
