import { holdDeadlines } from "./deadlines";

// Loaded before a program whose deadlines a test passes with SIGUSR2

const { pass } = holdDeadlines();
process.on("SIGUSR2", () => pass());
