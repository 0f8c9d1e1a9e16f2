import type { Metadata } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import "./style.css";

export const metadata: Metadata = { title: "Field notes" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <header>
          <Link href="/">Field notes</Link>
        </header>
        <main>{children}</main>
      </body>
    </html>
  );
}
