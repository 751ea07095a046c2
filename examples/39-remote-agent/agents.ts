/** A travel office that asks the office of a harbour for a berth; the harbour belongs to another company. */
import { createSupervisor, type ChatModel } from 'troupe'
import { remoteAgent } from 'troupe/a2a'

/** The environment names the address of the harbour's agent, and the token that its server admits. */
export function createTravelOffice(model: ChatModel) {
  const harbour = remoteAgent({
    id: 'harbour',
    description: 'Lets ships into the harbour.',
    url: process.env['HARBOUR_URL'] ?? 'https://harbour.example',
    headers: () => ({ authorization: `Bearer ${process.env['HARBOUR_TOKEN'] ?? ''}` }),
  })
  return createSupervisor({
    id: 'travel-office',
    instructions: 'You are a travel office. Ask the harbour for berths.',
    model,
    agents: { harbour },
  })
}
