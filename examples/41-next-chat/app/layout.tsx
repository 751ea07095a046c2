/** @jsxImportSource react */
import type { ReactNode } from 'react'
import '../../support/page.css'

export const metadata = { title: 'Travel bureau' }

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <main>
          <h1>Travel bureau</h1>
          {children}
        </main>
      </body>
    </html>
  )
}
