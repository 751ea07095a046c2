/** A front desk whose FAQ agent may answer for the whole desk. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

/** With `bail`, what the FAQ agent found goes to the customer as it is; without, the desk writes its own reply. */
export function createFrontDesk(model: ChatModel, { bail }: { bail: boolean }) {
  const faq = createAgent({
    id: 'faq',
    description: 'Answers common questions about orders and returns from the handbook.',
    instructions: 'You answer from the handbook, ready to be sent to the customer. Look it up first.',
    model,
    tools: { handbook },
  })
  return createSupervisor({
    id: 'front-desk',
    instructions: 'You run the front desk. Pass questions on to your agents, then reply to the customer.',
    model,
    agents: { faq },
    delegation: {
      onDelegationComplete: (delegation) => {
        if (bail && delegation.outcome === 'succeeded') delegation.bail()
      },
    },
  })
}

const handbook = createTool({
  id: 'handbook',
  description: 'Reads a page of the handbook.',
  inputSchema: z.object({ page: z.enum(['returns', 'delivery']) }),
  execute: ({ page }) => pages[page],
})

const pages = {
  returns: 'Unused goods may be returned within 30 days. The label is in the parcel; postage is free.',
  delivery: 'Orders placed before noon leave the same day.',
}
