/** What the page does, without a browser: it is left at a question, and opened again. */
import { createActor, waitFor } from 'xstate'
import { visibleJson } from 'troupe/view'
import { keepSnapshot, type KeptStorage } from './app/kept.ts'
import { openApp } from './app/open-app.ts'
import { PageStorage } from './page-storage.ts'
import type { OpenShop } from './server/open-shop.ts'

export async function tour({ url, orders }: OpenShop): Promise<void> {
  const storage = new PageStorage()
  const need = 'A lamp for the desk at the window.'
  console.log(`\nyou: ${need}`)
  const first = await openPage(storage, url)
  first.app.send({ type: 'ask', need })
  await first.question()
  await first.leave()

  console.log(`The page is loaded again. Orders so far: ${orders.list.length}`)
  const second = await openPage(storage, url)
  const { toolCallId, toolName, args } = await second.question()
  console.log(`buyer: may I ${toolName} ${visibleJson(args)}?`)
  second.app.getSnapshot().children.buyer?.send({ type: 'approve', toolCallId })
  const { context } = await waitFor(second.app, (snapshot) => snapshot.matches('waiting'))
  console.log(`buyer: ${context.purchases.at(-1)?.answer}`)
  await second.leave()
  console.log(`Orders: ${JSON.stringify(orders.list)}`)
}

async function openPage(storage: KeptStorage, server: string) {
  const { machine, troupe, snapshot } = await openApp(storage, server)
  const app = createActor(machine, snapshot === undefined ? {} : { snapshot })
  const stopKeeping = keepSnapshot(storage, app)
  app.start()
  return {
    app,
    async question() {
      const { children } = await waitFor(app, (now) => now.children.buyer !== undefined)
      const { buyer } = children
      if (buyer === undefined) throw new Error('There is no buyer at work.')
      const [question] = (await waitFor(buyer, ({ awaiting }) => awaiting.length > 0)).awaiting
      if (question === undefined) throw new Error('The buyer asks nothing.')
      return question
    },
    /** As a browser does: nothing is stopped, and so nothing is cancelled. */
    async leave() {
      stopKeeping()
      await troupe.close()
    },
  }
}
