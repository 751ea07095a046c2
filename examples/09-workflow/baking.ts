/** A machine of yours, which knows nothing of agents: it bakes a loaf. The oven is on for as long as it runs. */
import { fromCallback, setup } from 'xstate'

export type OvenEvent = { readonly type: 'oven.hot' }

export const baking = setup({
  types: {
    input: {} as { bread: string; minutes: number },
    context: {} as { bread: string; minutes: number },
    events: {} as OvenEvent,
    output: {} as { loaf: string },
  },
  actors: { oven: createOven({ heats: true, say: () => undefined }) },
  delays: { bakingTime: ({ context }) => context.minutes }, // a minute is a millisecond here
}).createMachine({
  id: 'loaf',
  context: ({ input }) => input,
  invoke: { src: 'oven', id: 'oven' },
  initial: 'heating',
  states: {
    heating: { on: { 'oven.hot': 'baking' } },
    baking: { after: { bakingTime: 'done' } },
    done: { type: 'final' },
  },
  output: ({ context }) => ({ loaf: `${context.bread}, baked for ${context.minutes} minutes` }),
})

/** Says when it is hot, unless it is broken. It goes off when its actor is stopped, for whatever reason. */
export function createOven({ heats, say }: { heats: boolean; say: (what: string) => void }) {
  return fromCallback<OvenEvent>(({ sendBack }) => {
    say('on')
    const timer = heats ? setTimeout(() => sendBack({ type: 'oven.hot' }), 10) : undefined
    return () => {
      clearTimeout(timer)
      say('off')
    }
  })
}
