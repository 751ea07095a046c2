/** A travel agent whose plan a person must approve before anything is booked. */
import { createPlanner, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createBookingDesk(model: ChatModel) {
  return createPlanner({
    id: 'bookings',
    instructions: 'You plan day trips, and book what they need.',
    model,
    tools: { book },
    approvePlan: ({ proposed }) => proposed.some(({ toolHint }) => toolHint === 'book'),
  })
}

const book = createTool({
  id: 'book',
  description: 'Books tickets.',
  inputSchema: z.object({ what: z.string(), persons: z.int().positive() }),
  execute: ({ what, persons }) => `${persons} × ${what}`,
})
