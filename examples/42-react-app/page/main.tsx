/** @jsxImportSource react */
/** The page: the app goes on where the page before has left it. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openApp } from '../app/open-app.ts'
import { ShoppingPage } from './shopping-page.tsx'

/** Shows the app until the page is left. */
async function open(): Promise<never> {
  const app = await openApp(localStorage, location.origin)
  const place = document.getElementById('page')
  if (place === null) throw new Error('The document has no place for the page.')
  createRoot(place).render(
    <StrictMode>
      <ShoppingPage {...app} />
    </StrictMode>,
  )
  return new Promise(() => undefined)
}

// Two pages of one browser share the storage: the second waits until the first is closed.
void navigator.locks.request('shopping', open)
