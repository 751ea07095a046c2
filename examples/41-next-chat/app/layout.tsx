/** @jsxImportSource react */
import type { ReactNode } from 'react'
import '../../support/page.css'

export const metadata = { title: 'Travel bureau' }

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <main>
          <header>
            <h1>
              <a href="/">Travel bureau</a>
            </h1>
            <a href="/runs">Runs</a>
          </header>
          {children}
        </main>
      </body>
    </html>
  )
}
