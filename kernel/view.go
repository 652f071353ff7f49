package kernel

import "github.com/tipstaff/tipstaff/protocol"

// View is what can be seen of a state from outside.
type View struct {
	// Run is the run, Proposer who proposes, Phase where it is.
	Run      protocol.RunID
	Proposer protocol.Proposer
	Phase    string
	// Status is the one word for lists; End is set once the run is over.
	Status protocol.Status
	End    *protocol.RunEnded
	// FSM is the guardrail's state, Trust the label of everything shown.
	FSM   protocol.FSMState
	Trust protocol.Trust
	// Turns, ActiveMillis and Usage are what was spent.
	Turns        int
	ActiveMillis int64
	Usage        protocol.Usage
	// Answer is the last text of a model.
	Answer *protocol.Text
	// Saga lists what was committed.
	Saga []SagaStep
	// Approvals, Open and Unknown list what is waited for.
	Approvals []protocol.ApprovalID
	Open      []protocol.EffectID
	Unknown   []protocol.EffectID
	// Commands is how many commands the state has seen.
	Commands uint64
}

// SagaStep is one committed step.
type SagaStep struct {
	Name   string
	Tool   string
	Status protocol.SagaStatus
}

// View shows a state.
func (s State) View() View {
	st := s.s
	v := View{
		Phase: string(st.Phase), Status: st.status(), End: st.End, FSM: st.Saga.FSM, Trust: st.Label.Trust,
		Turns: st.Spent.Turns, ActiveMillis: st.Spent.Active, Usage: st.Spent.Usage, Answer: st.Turns.Answer, Commands: st.Commands,
	}
	if st.Genesis != nil {
		v.Run, v.Proposer = st.Genesis.Run, st.Genesis.Proposer
	}
	for row := range st.Saga.Steps.all {
		v.Saga = append(v.Saga, SagaStep{row.Name, row.Tool, row.Status})
	}
	for a := range st.Approvals.all {
		v.Approvals = append(v.Approvals, st.approvalID(a))
	}
	for fx := range st.Effects.all {
		if fx.Unknown {
			v.Unknown = append(v.Unknown, st.effectID(fx))
		} else {
			v.Open = append(v.Open, st.effectID(fx))
		}
	}
	return v
}

// Finished tells whether nothing more will happen but on an operator's word.
func (v View) Finished() bool { return v.Phase == string(phaseFinished) }

// Parked tells whether the run waits for a person.
func (v View) Parked() bool {
	return v.Phase == string(phaseApproval) || v.Phase == string(phaseRuling)
}

// Admitting tells whether the run waits for its client's next call.
func (v View) Admitting() bool { return v.Phase == string(phaseAdmitting) }

func (s *state) status() protocol.Status {
	switch s.Phase {
	case phaseNone:
		return protocol.StatusPending
	case phaseApproval:
		return protocol.StatusAwaitingApproval
	case phaseRuling:
		return protocol.StatusAwaitingRuling
	case phaseFinished, phaseDrained:
		return s.End.Status
	}
	return protocol.StatusRunning
}

// Minted is how many calls the run has opened so far: the newest call's number.
func (s State) Minted() uint64 { return s.s.NextCall }

// Begin is how the run began; nil before it has.
func (s State) Begin() *protocol.Begin { return s.s.Genesis }
